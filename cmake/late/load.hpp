// Functions of shared libraries that are loaded when one of them is first called. Each has a jump of its own name in the program;
// its word in `plumbline_late_places` leads first to a few instructions that put its number on the stack, keep what the caller
// passes in registers, and ask `plumbline_late_find` (load.cpp), which writes the function's address into the word. Threads may
// come at once: they all find the same. The names are hidden, so that the libraries call their own functions and not these.
#pragma once

namespace plumbline::late {

struct Call {
  const char* name;
  unsigned library;  // its place in kLibraries
};
extern const char* const kLibraries[];
extern const Call kCalls[];

}  // namespace plumbline::late

// Before `call` the stack is a multiple of 16 bytes, as the ABI wants: a return address, the number, seven registers, 136 bytes.
#define PLUMBLINE_JUMPS_BEGIN                                                                 \
  ".pushsection .text\n"                                                                      \
  ".type plumbline_late_ask,@function\n"                                                      \
  "plumbline_late_ask:\n"                                                                     \
  "  push %rax\n  push %rcx\n  push %rdx\n  push %rsi\n  push %rdi\n  push %r8\n  push %r9\n" \
  "  sub $136, %rsp\n"                                                                        \
  "  movups %xmm0, 0(%rsp)\n  movups %xmm1, 16(%rsp)\n"                                       \
  "  movups %xmm2, 32(%rsp)\n  movups %xmm3, 48(%rsp)\n"                                      \
  "  movups %xmm4, 64(%rsp)\n  movups %xmm5, 80(%rsp)\n"                                      \
  "  movups %xmm6, 96(%rsp)\n  movups %xmm7, 112(%rsp)\n"                                     \
  "  mov 192(%rsp), %rdi\n"                                                                   \
  "  call plumbline_late_find\n"                                                              \
  "  mov %rax, %r11\n"                                                                        \
  "  movups 0(%rsp), %xmm0\n  movups 16(%rsp), %xmm1\n"                                       \
  "  movups 32(%rsp), %xmm2\n  movups 48(%rsp), %xmm3\n"                                      \
  "  movups 64(%rsp), %xmm4\n  movups 80(%rsp), %xmm5\n"                                      \
  "  movups 96(%rsp), %xmm6\n  movups 112(%rsp), %xmm7\n"                                     \
  "  add $136, %rsp\n"                                                                        \
  "  pop %r9\n  pop %r8\n  pop %rdi\n  pop %rsi\n  pop %rdx\n  pop %rcx\n  pop %rax\n"        \
  "  add $8, %rsp\n"                                                                          \
  "  jmp *%r11\n"                                                                             \
  ".size plumbline_late_ask, .-plumbline_late_ask\n"                                          \
  ".pushsection .data.plumbline_late,\"aw\",@progbits\n"                                      \
  ".balign 8\n.globl plumbline_late_places\n.hidden plumbline_late_places\n"                  \
  "plumbline_late_places:\n.popsection\n"

#define PLUMBLINE_JUMP(name, number)                                   \
  ".globl " name "\n.hidden " name "\n.type " name ",@function\n" name \
  ":\n"                                                                \
  "  jmp *(plumbline_late_places + 8 * " number                        \
  ")(%rip)\n"                                                          \
  ".size " name ", .-" name                                            \
  "\n"                                                                 \
  ".Llate_" number                                                     \
  ":\n"                                                                \
  "  push $" number                                                    \
  "\n"                                                                 \
  "  jmp plumbline_late_ask\n"                                         \
  ".pushsection .data.plumbline_late\n"                                \
  "  .quad .Llate_" number                                             \
  "\n"                                                                 \
  ".popsection\n"

#define PLUMBLINE_JUMPS_END ".popsection\n"

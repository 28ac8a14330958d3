// The authorities that this machine believes. OpenSSL knows one place, that of the distribution it was built for; a program that
// runs on others looks where they keep theirs.
#pragma once

using SSL_CTX = struct ssl_ctx_st;  // OpenSSL's, without its headers

namespace plumbline::net {

// SSL_CERT_FILE and SSL_CERT_DIR where they are set, else OpenSSL's own place, else the first of the known files that is there.
// False where the context takes none; a machine without any is not an error here, no certificate is believed then.
[[nodiscard]] bool trust_this_machine(SSL_CTX* context);

}  // namespace plumbline::net

# Goldens for tests/core/statistics.cpp, from R's own stats package and, where R has no exact answer (ties), from plain
# enumeration of every arrangement. Rscript tests/core/goldens.R > tests/core/goldens.tsv
set.seed(20261120)
num <- function(x) paste(sprintf("%.17g", x), collapse = ",")
line <- function(...) cat(paste(..., sep = "\t"), "\n", sep = "")
line("# kind", "arguments and results, see goldens.R")

for (n in c(1, 2, 3, 4, 5, 6, 9, 10, 31)) {
  x <- round(rnorm(n, 100, 3), 3)
  sd_x <- if (n > 1) sd(x) else 0
  line("location", num(x), num(c(mean(x), sd_x, median(x), mad(x))))
}

# The largest rank l with P(Binomial(n, 1/2) < l) <= (1 - confidence) / 2.
for (n in c(5, 6, 7, 8, 10, 15, 20, 51)) for (confidence in c(.9, .95, .99)) {
  x <- rnorm(n)
  tail <- pbinom(0:(n %/% 2), n, .5)
  l <- sum(tail <= (1 - confidence) / 2 * (1 + 1e-12))
  s <- sort(x)
  if (l == 0) line("median_interval", num(x), confidence, "none")
  else line("median_interval", num(x), confidence, num(c(s[l], s[n + 1 - l], 1 - 2 * tail[l])))
}

for (case in list(c(3, 3), c(4, 4), c(5, 5), c(6, 6), c(8, 8), c(10, 10), c(20, 20), c(3, 5), c(2, 2), c(2, 10), c(1, 19), c(1, 20),
                  c(5, 40), c(30, 30), c(50, 50), c(17, 43))) for (alpha in c(.05, .01, .001)) {
  n <- case[1]; m <- case[2]
  k <- sum(pwilcox(0:(n * m), n, m) <= alpha * (1 + 1e-12))
  line("rank_bound", n, m, alpha, k)
}

for (case in list(c(3, 3), c(4, 6), c(5, 5), c(10, 10), c(12, 7), c(16, 16), c(20, 20), c(40, 45))) {
  n <- case[1]; m <- case[2]
  a <- round(rnorm(n, 10, 1), 2); b <- round(rnorm(m, 10.5, 1), 2)
  d <- sort(outer(b, a, "-"))
  k <- sum(pwilcox(0:(n * m), n, m) <= .05 * (1 + 1e-12))
  bounds <- if (k > 0) num(c(d[k], d[n * m + 1 - k])) else "none"
  line("hodges_lehmann", num(a), num(b), num(median(d)), bounds)
}

for (case in list(c(3, 3), c(3, 5), c(5, 4), c(8, 8), c(10, 10), c(20, 20), c(30, 12), c(50, 50))) for (shift in c(0, .8)) {
  a <- rnorm(case[1]); b <- rnorm(case[2], .6)
  line("mann_whitney", num(a), num(b), shift, num(wilcox.test(b, a + shift, alternative = "greater", exact = TRUE)$p.value))
}

# Ties: midranks, every choice of m positions out of n + m equally likely.
enumerate <- function(a, b) {
  r <- rank(c(a, b)); m <- length(b)
  sums <- combn(length(r), m, function(i) sum(r[i]))
  observed <- sum(r[-seq_along(a)])
  mean(sums >= observed - 1e-9)
}
tied <- list(list(c(1, 1, 1, 1, 1), c(2, 1, 3, 5)), list(c(1, 1, 1, 1, 2), c(2, 2, 3, 5)), list(rep(10, 6), c(10, 10, 10, 11, 11, 11)),
             list(c(1, 2, 2), c(2, 2, 3)), list(c(1, 1, 2), c(3, 3, 3)), list(c(5, 5), c(5, 5, 5, 6)), list(c(7, 7, 7), c(7, 7, 7)))
for (i in 1:14) tied[[length(tied) + 1]] <- list(sample(1:4, sample(3:9, 1), TRUE), sample(1:5, sample(3:9, 1), TRUE))
for (case in tied) line("mann_whitney", num(case[[1]]), num(case[[2]]), 0, num(enumerate(case[[1]], case[[2]])))

# Large and tied: normal, with continuity and tie correction.
for (size in c(60, 90)) {
  a <- round(rnorm(size, 10, 1), 1); b <- round(rnorm(size + 5, 10.2, 1), 1)
  line("mann_whitney", num(a), num(b), 0, num(wilcox.test(b, a, alternative = "greater", exact = FALSE, correct = TRUE)$p.value))
}

for (n in c(1, 3, 10, 40, 100, 1000, 10000, 1000000)) for (p in c(.05, .01, .5, .001)) for (q in c(.999, .95, .5))
  line("binomial_quantile", n, p, q, format(qbinom(q, n, p), scientific = FALSE))

for (m in c(1, 2, 5, 20, 60)) {
  p <- c(runif(m - m %/% 3), rbeta(m %/% 3, .05, 5)); p <- sample(p)
  line("benjamini_hochberg", num(p), .05, paste(as.integer(p.adjust(p, "BH") <= .05), collapse = ","))
}
p <- rep(.05, 4); line("benjamini_hochberg", num(p), .05, paste(as.integer(p.adjust(p, "BH") <= .05), collapse = ","))

window.BENCHMARK_DATA = {
  "lastUpdate": 1767225600000,
  "repoUrl": "https://example.com/acme/codec",
  "entries": {
    "Rust": [
      {"commit": {"id": "aaa111"}, "date": 1767222000000, "tool": "cargo",
       "benches": [{"name": "encode", "range": "± 20", "unit": "ns/iter", "value": 90}]},
      {"commit": {"id": "bbb222"}, "date": 1767225600000, "tool": "cargo",
       "benches": [{"name": "encode", "range": "± 20", "unit": "ns/iter", "value": 100}]}
    ]
  }
}

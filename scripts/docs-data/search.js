// Search of the site, in the browser and offline: parts of pages that hold every word, those with the words in their headings first.
function find(parts, query, most) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const found = [];
  for (const part of parts) {
    const page = part.page.toLowerCase(), heading = part.part.toLowerCase(), text = part.text.toLowerCase();
    let weight = 0;
    for (const word of words) {
      const times = text.split(word).length - 1;
      const here = (heading.includes(word) ? 20 : 0) + (page.includes(word) ? 12 : 0) + Math.min(times, 5);
      if (here === 0) { weight = 0; break; }
      weight += here;
    }
    if (weight > 0) found.push({ part, weight: weight + (text.includes(query.toLowerCase()) ? 5 : 0) });
  }
  return found.sort((a, b) => b.weight - a.weight).slice(0, most).map((one) => one.part);
}

// A few words around the first hit.
function excerpt(part, query) {
  const at = query.toLowerCase().split(/\s+/).filter(Boolean).map((word) => part.text.toLowerCase().indexOf(word)).filter((n) => n >= 0);
  const from = Math.max(0, Math.min(...at, part.text.length) - 60);
  return (from > 0 ? "… " : "") + part.text.slice(from, from + 180) + (part.text.length > from + 180 ? " …" : "");
}

function start() {
  const form = document.querySelector("form"), input = document.getElementById("query");
  const results = document.getElementById("results"), article = document.querySelector("article");
  const show = () => {
    const query = input.value.trim();
    results.hidden = query === "";
    article.hidden = query !== "";
    if (query === "") return;
    const hits = find(parts, query, 20);
    const list = document.createElement("ol");
    for (const hit of hits) {
      const item = document.createElement("li"), link = document.createElement("a"), text = document.createElement("p");
      link.href = document.body.dataset.root + "/" + hit.to;
      link.textContent = hit.part === hit.page ? hit.page : hit.page + ": " + hit.part;
      link.addEventListener("click", () => { input.value = ""; show(); });
      text.textContent = excerpt(hit, query);
      item.append(link, text);
      list.append(item);
    }
    const head = document.createElement("h1");
    head.textContent = hits.length === 0 ? "Nothing has all of these words" : "Found";
    results.replaceChildren(head, list);
  };
  form.hidden = false;
  form.addEventListener("submit", (event) => { event.preventDefault(); show(); });
  input.addEventListener("input", show);
  input.value = new URLSearchParams(location.search).get("q") || "";
  show();
}

if (typeof document !== "undefined") start();
if (typeof module !== "undefined") module.exports = { find, excerpt };

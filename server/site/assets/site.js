// Reads a list again when something in it was recorded. Every page works without this: it then shows what was there when it
// was loaded.
(() => {
  'use strict';
  const body = document.body;
  if (!('scope' in body.dataset) || !window.EventSource) return;
  let stamp = body.dataset.stamp, stream = null, reading = false, again = false;

  const keepChoices = (from, to) => {
    for (const box of from.querySelectorAll('input:checked')) {
      const same = [...to.querySelectorAll('input')].find((one) => one.name === box.name && one.value === box.value);
      if (same) same.checked = true;
    }
    for (const open of from.querySelectorAll('details[open][id]')) {
      const same = to.querySelector('#' + CSS.escape(open.id));
      if (same) same.open = true;
    }
  };

  const read = async () => {
    if (reading) { again = true; return; }
    reading = true;
    try {
      const answer = await fetch(location.href, { cache: 'no-store', credentials: 'same-origin' });
      if (!answer.ok) return;
      const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
      stamp = page.body.dataset.stamp || stamp;
      for (const part of document.querySelectorAll('[data-live]')) {
        const next = page.getElementById(part.id);
        if (!next || next.innerHTML === part.innerHTML) continue;
        keepChoices(part, next);
        part.replaceWith(document.adoptNode(next));
        document.getElementById('news').textContent = 'Updated ' + new Date().toLocaleTimeString();
      }
    } catch (error) {  // the server is away: the stream comes back when it does
    } finally {
      reading = false;
      if (again) { again = false; read(); }
    }
  };

  const listen = () => {
    const asked = new URLSearchParams({ scope: body.dataset.scope, since: stamp });
    stream = new EventSource('/live?' + asked);
    stream.addEventListener('change', read);
  };
  // A browser has six connections for a server: a page that nobody sees gives its own back.
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) {
      if (stream) stream.close();
      stream = null;
    } else if (!stream) {
      listen();
    }
  });
  if (!document.hidden) listen();
})();

// Keeps the page's files, so that it opens without a line; the generator fills in version and files.
const VERSION = "{{version}}";
const FILES = /* files */ [];

addEventListener("install", (event) => {
  event.waitUntil(caches.open(VERSION).then((cache) => cache.addAll(FILES)));
});

addEventListener("activate", (event) => {
  const clean = async () => {
    for (const name of await caches.keys()) if (name !== VERSION) await caches.delete(name);
    await clients.claim();
  };
  event.waitUntil(clean());
});

// The page names the files of a game when it is opened.
addEventListener("message", (event) => {
  const keep = async () => {
    const cache = await caches.open(VERSION);
    for (const file of event.data.keep) if (!(await cache.match(file))) await cache.add(file);
    event.ports[0]?.postMessage("kept");
  };
  event.waitUntil(keep());
});

addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || new URL(request.url).origin !== location.origin) return;
  const answer = async () => (await (await caches.open(VERSION)).match(request, { ignoreSearch: true })) ?? fetch(request);
  event.respondWith(answer());
});

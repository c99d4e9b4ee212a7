// Keeps the page's files, so that it opens without a line; the generator fills in version and files.
const FILES = /* files */ [];
// Other pages of the same host have caches too.
const OURS = `table ${registration.scope} `;
const VERSION = `${OURS}{{version}}`;

addEventListener("install", (event) => {
  // Past the browser's own cache, which may hold files of the version before.
  const fresh = FILES.map((file) => new Request(file, { cache: "reload" }));
  event.waitUntil(caches.open(VERSION).then((cache) => cache.addAll(fresh)));
});

addEventListener("activate", (event) => {
  const clean = async () => {
    for (const name of await caches.keys()) if (name.startsWith(OURS) && name !== VERSION) await caches.delete(name);
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

// Keeps the page's files for use without a network; `site.py` fills in version and files.
/** @type {string[]} */
const FILES = /* files */ [];
const worker = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self));
// Prefix of this page's caches; other pages of the same host have caches too.
const OURS = `table ${worker.registration.scope} `;
const VERSION = `${OURS}{{version}}`;
// A port of this machine belongs to another program tomorrow: no worker may answer for it.
const LOOPBACK = /^(localhost|127\..*|\[::1\])$/.test(location.hostname);

worker.addEventListener("install", (event) => {
  if (LOOPBACK) return void worker.skipWaiting();
  // Past the browser's own cache, which may hold files of an earlier version.
  const fresh = FILES.map((file) => new Request(file, { cache: "reload" }));
  event.waitUntil(caches.open(VERSION).then((cache) => cache.addAll(fresh)));
});

worker.addEventListener("activate", (event) => {
  const clean = async () => {
    for (const name of await caches.keys()) if (name.startsWith(OURS) && (LOOPBACK || name !== VERSION)) await caches.delete(name);
    if (LOOPBACK) await worker.registration.unregister();
    else await worker.clients.claim();
  };
  event.waitUntil(clean());
});

// The page names the files of a game when the game is opened.
worker.addEventListener("message", (event) => {
  if (LOOPBACK) return;
  const keep = async () => {
    const cache = await caches.open(VERSION);
    for (const file of event.data.keep) if (!(await cache.match(file))) await cache.add(file);
    event.ports[0]?.postMessage("kept");
  };
  event.waitUntil(keep());
});

// Answers for files of the cache alone; all other requests go to the network untouched.
if (!LOOPBACK) worker.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || !request.url.startsWith(worker.registration.scope)) return;
  const answer = async () => (await (await caches.open(VERSION)).match(request, { ignoreSearch: true })) ?? fetch(request);
  event.respondWith(answer());
});

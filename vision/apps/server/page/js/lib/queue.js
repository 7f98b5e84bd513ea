// Photos on their way: kept in the browser until the server has them, so that a phone which kills
// the tab behind its camera loses nothing.
const NAME = "sightline",
  STORE = "queue";
let opened;
const open = () =>
  (opened ??= new Promise((resolve) => {
    let request;
    try {
      request = indexedDB.open(NAME, 1);
    } catch {
      resolve(null);
      return;
    }
    request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: "key" });
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => resolve(null);
  }));
async function run(mode, work) {
  const db = await open();
  if (!db) return null;
  return new Promise((resolve) => {
    const tx = db.transaction(STORE, mode);
    const request = work(tx.objectStore(STORE));
    tx.oncomplete = () => resolve(request.result);
    tx.onerror = tx.onabort = () => resolve(null);
  });
}
export const keep = (entry) => run("readwrite", (store) => store.put(entry));
export const drop = (key) => run("readwrite", (store) => store.delete(key));
export const kept = async () => (await run("readonly", (store) => store.getAll())) || [];
export const newKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) =>
    b.toString(16).padStart(2, "0"),
  ).join("");

/** SHA-256 (FIPS 180-4), since browsers offer theirs only to pages that came over an encrypted line. @module */

/** @type {number[]} */
const PRIMES = [];
for (let candidate = 2; PRIMES.length < 64; candidate += 1) {
  if (PRIMES.every((prime) => candidate % prime)) PRIMES.push(candidate);
}
/** The first 32 bits behind the point of a root. @param {number} root */
const fraction = (root) => Math.floor((root - Math.floor(root)) * 2 ** 32);
const CONSTANTS = Int32Array.from(PRIMES, (prime) => fraction(Math.cbrt(prime)));
const START = Int32Array.from(PRIMES.slice(0, 8), (prime) => fraction(Math.sqrt(prime)));

/** @param {number} word @param {number} count */
const turned = (word, count) => (word >>> count) | (word << (32 - count));

/** One block of 64 bytes. @param {Int32Array} hash @param {Int32Array} w @param {DataView} view @param {number} at */
function mix(hash, w, view, at) {
  for (let i = 0; i < 64; i += 1) {
    if (i < 16) {
      w[i] = view.getInt32(at + 4 * i);
      continue;
    }
    const a = w[i - 15], b = w[i - 2];
    w[i] = w[i - 16] + w[i - 7] + (turned(a, 7) ^ turned(a, 18) ^ (a >>> 3)) + (turned(b, 17) ^ turned(b, 19) ^ (b >>> 10));
  }
  let [a, b, c, d, e, f, g, last] = hash;
  for (let i = 0; i < 64; i += 1) {
    const one = (last + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g)) + CONSTANTS[i] + w[i]) | 0;
    const two = ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [last, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
  }
  [a, b, c, d, e, f, g, last].forEach((word, i) => (hash[i] += word));
}

/**
 * The digest of some bytes, 64 hexadecimal digits.
 * @param {Uint8Array} bytes
 * @returns {string}
 */
export function sha256(bytes) {
  const padded = new Uint8Array(((bytes.length + 72) >> 6) << 6);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(padded.length - 4, bytes.length << 3);
  const hash = START.slice(), w = new Int32Array(64);
  for (let at = 0; at < padded.length; at += 64) mix(hash, w, view, at);
  return Array.from(hash, (word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}

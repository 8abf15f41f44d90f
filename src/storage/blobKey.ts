const blobKey = /^[A-Za-z0-9_-]{1,128}$/;

/** Whether a text is a key of a blob. */
export function isBlobKey(text: string): boolean {
  return blobKey.test(text);
}

/** @throws {TypeError} for a text that is no key: such a text may have come from a client */
export function checkBlobKey(text: string): void {
  if (!isBlobKey(text))
    throw new TypeError(`A key of a blob is 1 to 128 of A-Z, a-z, 0-9, "_" and "-"; ${JSON.stringify(String(text).slice(0, 64))} is none.`);
}

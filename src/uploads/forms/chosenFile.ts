import type { FilePart } from "../multipart/part.js";

/** What a file without a name is called. */
const nameless = "unnamed";

/**
 * The file, unless it is that of an input in which none was chosen: browsers send one without a name and without a byte then.
 *
 * @returns a file whose bytes can be iterated once, as those of `file`
 */
export async function chosenFile(file: FilePart): Promise<FilePart | undefined> {
  if (file.filename !== nameless) return file;
  const bytes = file.bytes[Symbol.asyncIterator]();
  const first = await bytes.next();
  return first.done === true ? undefined : { ...file, bytes: following(first.value, bytes) };
}

async function* following(first: Uint8Array, others: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield first;
    for (let next = await others.next(); next.done !== true; next = await others.next()) yield next.value;
  } finally {
    await others.return?.();
  }
}

/**
 * The same chunks, which end in an error unless they are so many bytes together: what was announced as Content-Length must be sent, or the connection must be
 * broken off.
 *
 * An iteration that is ended early, or before it began, ends the one below.
 */
export function exactBytes(chunks: AsyncIterable<Uint8Array>, length: number): AsyncIterable<Uint8Array> {
  return { [Symbol.asyncIterator]: () => exactIterator(chunks[Symbol.asyncIterator](), length) };
}

function exactIterator(below: AsyncIterator<Uint8Array>, length: number): AsyncIterator<Uint8Array> {
  let passed = 0;
  const end = async (): Promise<IteratorResult<Uint8Array>> => {
    await below.return?.();
    return { done: true, value: undefined };
  };
  return {
    async next() {
      const result = await below.next();
      passed += result.done ? 0 : result.value.length;
      if (result.done ? passed === length : passed <= length) return result;
      await end();
      throw new Error(`The blob has ${result.done ? `${passed} bytes` : "more bytes"} where ${length} were announced.`);
    },
    return: end,
  };
}

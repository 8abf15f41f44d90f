/** The memory of chunks that have one reader. */
const own = new WeakSet<ArrayBufferLike>();
/**
 * A block of this size is freed before the first chunk. At first the allocator of glibc gives back to the system what is free beyond 128 KiB at the end of its heap, and gets it again page by page with the next
 * chunks; after a larger block was freed it keeps twice the size of that one.
 */
const largeBytes = 4_194_304;
let closedPort: InstanceType<typeof MessageChannel>["port1"] | undefined;

/** Marks a chunk whose memory belongs to it alone and that only one reader gets, so that `releaseChunk` frees it. */
export function markOwn({ buffer, byteLength }: Uint8Array): void {
  if (byteLength === buffer.byteLength) own.add(buffer);
}

/** Takes the mark away: its memory is left to the garbage collector. */
export function unmarkOwn({ buffer }: Uint8Array): void {
  own.delete(buffer);
}

/**
 * Frees the memory of a chunk at once, if it is marked; to be called by its reader, after which the chunk is empty. V8 counts the memory of chunks against the limit of its heap,
 * so that a large body would otherwise start a full garbage collection every few dozen mebibytes.
 *
 * @param chunk what was read, or a part of it; one that is not marked keeps its bytes
 * @example
 * // a file of a form that goes to a store of blobs
 * for await (const chunk of part.bytes) await writer.write(chunk, releaseChunk);
 * @see https://html.spec.whatwg.org/multipage/web-messaging.html#message-port-post-message-steps a message to a closed port is dropped, after it has taken what it transfers
 */
export function releaseChunk({ buffer }: Uint8Array): void {
  if (!own.delete(buffer)) return;
  if (closedPort === undefined) {
    closedPort = new MessageChannel().port1;
    closedPort.close();
    closedPort.postMessage(undefined, [new ArrayBuffer(largeBytes)]);
  }
  try {
    // `ArrayBuffer.prototype.transfer` came with Node 22.
    closedPort.postMessage(undefined, [buffer as ArrayBuffer]);
  } catch {
    // Memory that cannot be transferred is left to the garbage collector.
  }
}

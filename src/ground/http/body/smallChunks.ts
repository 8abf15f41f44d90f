/** The size of a small chunk of a body, in bytes, and what each waiting chunk counts besides its bytes: a client may send single bytes, each of which is an object. */
export const smallChunkBytes = 256;
/** After so many small chunks of a body the others are collected for a turn of the event loop: a reader does the same work for one byte as for many. */
export const maxSmallChunks = 32;

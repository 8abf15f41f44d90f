import { type ClamdAddress, ClamdConnection } from "./connection.js";

const command = Buffer.from("zINSTREAM\0");
const endOfStream = Buffer.alloc(4);
/** Chunks of a file are split to this, so that each is taken in one go. */
const chunkBytes = 65_536;

/** What clamd says of a file. */
export interface ClamdAnswer {
  /** `stream: OK`, `stream: <signature> FOUND`, or an error. */
  readonly text: string;
  /** Whether it had all of the file by then. */
  readonly isWhole: boolean;
}

/**
 * Sends a file to clamd.
 *
 * @see clamd(8), INSTREAM
 */
export async function scanStream(address: ClamdAddress, chunks: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<ClamdAnswer> {
  const connection = new ClamdConnection(address, signal);
  try {
    // An answer, or none, may come while the file is still read.
    let isWhole = false;
    const sending = async () => {
      isWhole = await sendChunks(connection, chunks);
    };
    if (await connection.send(command)) await Promise.race([sending(), connection.answer]);
    const answer = await connection.answer;
    if (!answer.endsWith("\0")) throw new Error("clamd has closed the connection within its answer.");
    return { text: answer.slice(0, -1), isWhole };
  } finally {
    connection.close();
  }
}

/** Whether the daemon was there to take all of it. */
async function sendChunks(connection: ClamdConnection, chunks: AsyncIterable<Uint8Array>): Promise<boolean> {
  for await (const chunk of chunks) {
    for (let start = 0; start < chunk.length; start += chunkBytes) {
      const part = chunk.subarray(start, start + chunkBytes);
      const length = Buffer.alloc(4);
      length.writeUInt32BE(part.length);
      // Too long a file is answered before it is over.
      if (!(await connection.send(Buffer.concat([length, part])))) return false;
    }
  }
  if (!connection.isOpen) return false;
  await connection.send(endOfStream);
  return true;
}

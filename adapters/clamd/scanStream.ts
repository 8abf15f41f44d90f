import { type ClamdAddress, ClamdConnection } from "./connection.js";

const command = Buffer.from("zINSTREAM\0");
const endOfStream = Buffer.alloc(4);
/** Chunks of a file are split into pieces of this length, each of which is one write. */
const chunkBytes = 65_536;

/** The answer of clamd to a file. */
export interface ClamdAnswer {
  /** `stream: OK`, `stream: <signature> FOUND`, or an error. */
  readonly text: string;
  /** Whether clamd had received the whole file before it answered. */
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
    // The daemon may answer, or disconnect, while the file is still read.
    let isWhole = false;
    const sending = async () => {
      isWhole = await sendChunks(connection, chunks);
    };
    if (await connection.send(command)) await Promise.race([sending(), connection.answer]);
    const answer = await connection.answer;
    if (!answer.endsWith("\0")) throw new Error("clamd closed the connection in the middle of its answer.");
    return { text: answer.slice(0, -1), isWhole };
  } finally {
    connection.close();
  }
}

/** Sends the file. Returns whether the daemon accepted all of it. */
async function sendChunks(connection: ClamdConnection, chunks: AsyncIterable<Uint8Array>): Promise<boolean> {
  for await (const chunk of chunks) {
    for (let start = 0; start < chunk.length; start += chunkBytes) {
      const part = chunk.subarray(start, start + chunkBytes);
      const length = Buffer.alloc(4);
      length.writeUInt32BE(part.length);
      // The daemon answers before the end of a file that is too long.
      if (!(await connection.send(Buffer.concat([length, part])))) return false;
    }
  }
  if (!connection.isOpen) return false;
  await connection.send(endOfStream);
  return true;
}

import { setTimeout as sleep } from "node:timers/promises";
import { Connection } from "../tools/connection.js";
import { type Summary, summarize } from "../tools/statistics.js";
import { beginUpload, offsetOf, pieceHead, removeUpload } from "./tusClient.js";

const uploadBytes = 1_048_576;
const sentBytes = 524_288;
/** Until what was sent has arrived, and nothing more comes. */
const stallMs = 50;

/** Asks for uploads whose PATCH has stalled half-way, each once: milliseconds until the answer. */
export async function measureHeads(port: number, tries: number): Promise<Summary> {
  const asking = await Connection.open(port);
  try {
    await askOnce(port, asking);
    const times: number[] = [];
    for (let turn = 0; turn < tries; turn++) times.push(await askOnce(port, asking));
    return summarize(times);
  } finally {
    asking.close();
  }
}

async function askOnce(port: number, asking: Connection): Promise<number> {
  const upload = await beginUpload(asking, uploadBytes);
  const sending = await Connection.open(port);
  // It is answered, or its connection closed, as soon as somebody asks.
  void sending.sendBody(pieceHead(upload.path, 0, uploadBytes), [Buffer.alloc(sentBytes)]).catch(() => undefined);
  try {
    await sleep(stallMs);
    const begunMs = performance.now();
    const offset = await offsetOf(asking, upload);
    const tookMs = performance.now() - begunMs;
    if (!(offset > 0 && offset <= sentBytes)) throw new Error(`${upload.path} has ${offset} bytes, and ${sentBytes} were sent.`);
    await removeUpload(asking, upload);
    return tookMs;
  } finally {
    sending.close();
  }
}

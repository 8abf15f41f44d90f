import { setTimeout as sleep } from "node:timers/promises";
import { type Host, startShop } from "../shop/shopProcess.js";
import { PacedFile } from "./pacedFile.js";
import { bytesOf, sha256Of, tusUpload } from "./tusUpload.js";

export interface UploadKillOptions {
  readonly host: Host;
  /** Variables of the shop: where its data is. */
  readonly environment: Readonly<Record<string, string>>;
  readonly bytes: number;
  /** Of the line. */
  readonly bytesPerSecond: number;
  readonly seed: number;
  /** SIGKILL when so much of the file has been sent, as parts of 1, in rising order. */
  readonly killAt: readonly number[];
}

/** What became of one kill, in bytes. */
export interface UploadKill {
  readonly sent: number;
  /** Where the client went on. */
  readonly resumedAt: number | undefined;
}

export interface UploadKillReport {
  readonly kills: readonly UploadKill[];
  /** One line for each thing that should not be. */
  readonly faults: readonly string[];
}

/** What a process that dies may lose of what has been sent: what is recorded every 8 MiB, and what is on its way. */
export const mostLostBytes = 33_554_432;

/** A client comes again so often within a second, for half a minute. */
const retryDelays = Array.from({ length: 100 }, () => 300);

/** One upload by tus-js-client, during which the shop is killed again and again and started anew. The same upload must go on where it was, and end as the file that was sent. */
export async function uploadWhileKilled(options: UploadKillOptions): Promise<UploadKillReport> {
  const { host, environment, seed } = options;
  const bytes = bytesOf(options.bytes, seed);
  let shop = await startShop(host, environment);
  const port = new URL(shop.origin).port;
  const due = [...options.killAt];
  const kills: { sent: number; resumedAt: number | undefined }[] = [];
  let restarting: Promise<void> = Promise.resolve();
  const restart = async () => {
    await shop.stop("SIGKILL");
    shop = await startShop(host, { ...environment, PORT: port });
  };
  const file = new PacedFile(bytes, options.bytesPerSecond, (position) => {
    const next = due[0];
    if (next === undefined || position < next * bytes.length) return;
    due.shift();
    kills.push({ sent: position, resumedAt: undefined });
    restarting = restart();
  });
  try {
    const { upload, exchanges, done } = tusUpload(Buffer.alloc(0), {
      endpoint: `${shop.origin}/uploads`,
      metadata: { filename: "data.bin" },
      uploadSize: bytes.length,
      fileReader: file.fileReader,
      retryDelays,
      onResumed(offset) {
        const last = kills.at(-1);
        if (last !== undefined) last.resumedAt ??= offset;
      },
    });
    upload.start();
    const url = await done;
    await restarting;
    const posts = exchanges.filter(({ method }) => method === "POST").length;
    const faults = [...kills.flatMap(faultsOf), ...(posts === 1 ? [] : [`The upload was begun ${posts} times.`]), ...(await differences(url, bytes))];
    if (due.length > 0) faults.push(`${due.length} kills were not made.`);
    return { kills, faults };
  } finally {
    await restarting;
    await shop.stop("SIGKILL");
  }
}

function faultsOf({ sent, resumedAt }: UploadKill): readonly string[] {
  if (resumedAt === undefined) return [`After ${sent} bytes nobody went on.`];
  if (resumedAt === 0) return [`After ${sent} bytes the upload began from its beginning.`];
  if (resumedAt > sent) return [`After ${sent} bytes the upload went on at ${resumedAt}.`];
  return sent - resumedAt > mostLostBytes ? [`Of ${sent} bytes ${resumedAt} were left.`] : [];
}

/** What is kept of an upload, held against what was sent. */
export async function differences(url: string, bytes: Uint8Array): Promise<readonly string[]> {
  const sha256 = sha256Of(bytes);
  const document = await judged(url);
  if (document.status !== "ready" || document.size !== bytes.length || document.sha256 !== sha256)
    return [`${url} should have ${bytes.length} bytes of ${sha256}: ${JSON.stringify(document)}`];
  const file = Buffer.from(await (await fetch(new URL(document.url, url))).arrayBuffer());
  return sha256Of(file) === sha256 ? [] : [`${document.url} has other bytes than ${url} says.`];
}

interface UploadDocument {
  readonly status: string;
  readonly size: number;
  readonly sha256: string;
  readonly url: string;
}

/** An upload whose last answer was lost may still be looked into, by a shop that stands still. */
async function judged(url: string): Promise<UploadDocument> {
  for (let tries = 0; ; tries++) {
    const document = (await (await fetch(url)).json()) as UploadDocument;
    if (document.status !== "processing" || tries === 100) return document;
    await sleep(200);
  }
}

import { request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { type Random, randomOf } from "../../fuzz/random.js";
import { type ShopProcess, startShop } from "../shop/shopProcess.js";
import { bytesOf } from "./tusUpload.js";
import { differences } from "./uploadWhileKilled.js";

export interface TakenOverOptions {
  /** Variables of both shops: one folder, one database. */
  readonly environment: Readonly<Record<string, string>>;
  /** No upload is begun after so many milliseconds. */
  readonly forMs: number;
  /** Uploads at a time. */
  readonly clients: number;
  /** Largest file, in bytes. */
  readonly maxBytes: number;
  /** How long a shop stands still now and then, in milliseconds; 0: never. */
  readonly pauseMs: number;
  readonly seed: number;
}

/** What became of a run. */
export interface TakenOverReport {
  uploads: number;
  bytes: number;
  /** PATCHes that were answered 204, and those that the client broke off. */
  patches: number;
  broken: number;
  /** Times that a shop stood still, and those that it did so while a PATCH was on its way to it. */
  pauses: number;
  pausedWhileWriting: number;
  /** Answers that are no success, by their status; they are no faults. */
  readonly refused: Map<number, number>;
  /** One line for each thing that should not be. */
  readonly faults: string[];
}

interface Run {
  readonly shops: readonly ShopProcess[];
  /** PATCHes on their way to each shop. */
  readonly writing: number[];
  readonly options: TakenOverOptions;
  readonly report: TakenOverReport;
  isOver: boolean;
}

const pieceBytes = 65_536;
/** A shop that is silent for so long is left for the other. */
const maxWaitMs = 2_000;

/**
 * Uploads to two shops in turn, which share all that they have: clients break off at random and go on at the other shop, mostly before the first has noticed, and
 * shops stand still in the middle of what they do. In the end every file must be what was sent.
 */
export async function uploadsTakenOver(options: TakenOverOptions): Promise<TakenOverReport> {
  const shops = [await startShop("fastify", options.environment), await startShop("fastify", options.environment)];
  const report = { uploads: 0, bytes: 0, patches: 0, broken: 0, pauses: 0, pausedWhileWriting: 0, refused: new Map(), faults: [] };
  const run: Run = { shops, writing: [0, 0], options, report, isOver: false };
  try {
    const uploading = Promise.all(Array.from({ length: options.clients }, (_, client) => uploadInTurn(run, client)));
    const pausing = options.pauseMs === 0 ? undefined : pauseNowAndThen(run);
    await uploading;
    run.isOver = true;
    await pausing;
    return report;
  } finally {
    for (const shop of shops) await shop.stop("SIGKILL");
  }
}

async function pauseNowAndThen(run: Run): Promise<void> {
  for (let turn = 0; !run.isOver; turn++) {
    const which = turn % run.shops.length;
    // Waits for a PATCH to be stopped in, but not for ever.
    for (let tries = 0; tries < 200 && !run.isOver && (run.writing[which] ?? 0) === 0; tries++) await sleep(5);
    run.report.pauses += 1;
    if ((run.writing[which] ?? 0) > 0) run.report.pausedWhileWriting += 1;
    await run.shops[which]?.pause(run.options.pauseMs);
    await sleep(1_000);
  }
}

async function uploadInTurn(run: Run, client: number): Promise<void> {
  const { options, report } = run;
  const untilMs = performance.now() + options.forMs;
  for (let turn = 0; performance.now() < untilMs; turn++) {
    const seed = options.seed * 1_000_003 + client * 10_007 + turn;
    const random = randomOf(seed);
    const bytes = bytesOf(1 + Math.floor(random() * options.maxBytes), seed);
    const path = await upload(run, bytes, random);
    report.uploads += 1;
    report.bytes += bytes.length;
    report.faults.push(...(await whenAwake(() => differences(new URL(path, run.shops[turn % 2]?.origin).href, bytes))));
  }
}

/** @returns its path */
async function upload(run: Run, bytes: Buffer, random: Random): Promise<string> {
  let which = random() < 0.5 ? 0 : 1;
  const create = { method: "POST", headers: { "upload-length": String(bytes.length) } } as const;
  let begun = await ask(run, which, "/uploads", create);
  for (; begun?.status !== 201; begun = await ask(run, which, "/uploads", create)) which = 1 - which;
  const path = begun.headers["location"] ?? "";
  /** What has been answered with 204 is there for good. */
  let acknowledged = 0;
  for (;;) {
    which = 1 - which;
    const known = await ask(run, which, path, { method: "HEAD" });
    if (known?.status !== 200) continue;
    const offset = Number(known.headers["upload-offset"]);
    if (offset < acknowledged) run.report.faults.push(`${path} had ${acknowledged} bytes, and has ${offset}.`);
    if (offset === bytes.length) return path;
    const end = Math.min(bytes.length, offset + 1 + Math.floor(random() * bytes.length));
    // Two of three break off somewhere.
    const breakAt = random() < 0.67 ? offset + Math.floor(random() * (end - offset)) : undefined;
    const answer = await patch(run, which, { path, bytes, offset, end, breakAt });
    if (answer?.status !== 204) continue;
    run.report.patches += 1;
    acknowledged = Number(answer.headers["upload-offset"]);
    if (acknowledged !== end) run.report.faults.push(`${path} took ${end} bytes, and says ${acknowledged}.`);
  }
}

interface Piece {
  readonly path: string;
  readonly bytes: Buffer;
  readonly offset: number;
  readonly end: number;
  readonly breakAt: number | undefined;
}

async function patch(run: Run, which: number, piece: Piece): Promise<Answer | undefined> {
  const { path, bytes, offset, end, breakAt } = piece;
  run.writing[which] = (run.writing[which] ?? 0) + 1;
  try {
    const headers = { "content-type": "application/offset+octet-stream", "upload-offset": String(offset), "content-length": String(end - offset) };
    return await ask(run, which, path, { method: "PATCH", headers, body: bytes.subarray(offset, breakAt ?? end), isBroken: breakAt !== undefined });
  } finally {
    run.writing[which] = (run.writing[which] ?? 1) - 1;
  }
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

interface Question {
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** The connection is cut behind the body, which is then shorter than was said. */
  readonly isBroken?: boolean;
}

/** `undefined` where there was no answer, in time or at all. */
function ask(run: Run, which: number, path: string, { method, headers = {}, body, isBroken = false }: Question): Promise<Answer | undefined> {
  const { report, shops } = run;
  return new Promise((resolve) => {
    const outgoing = request(new URL(path, shops[which]?.origin), { method, headers, agent: false });
    const impatience = setTimeout(() => outgoing.destroy(), maxWaitMs);
    const end = (answer?: Answer) => {
      clearTimeout(impatience);
      resolve(answer);
    };
    outgoing.on("error", () => end());
    outgoing.on("close", () => end());
    outgoing.on("response", (incoming) => {
      const status = incoming.statusCode ?? 0;
      if (status >= 300) report.refused.set(status, (report.refused.get(status) ?? 0) + 1);
      incoming.resume();
      incoming.on("error", () => end());
      incoming.on("end", () => end({ status, headers: incoming.headers as Answer["headers"] }));
    });
    void send(outgoing, body, () => impatience.refresh()).then(() => {
      if (!isBroken) return outgoing.end();
      report.broken += 1;
      return outgoing.destroy();
    });
  });
}

/** In pieces, as fast as they are taken, and a little slower than that: so that shops are met in the middle of a body. */
async function send(outgoing: ReturnType<typeof request>, body: Uint8Array | undefined, onPiece: () => void): Promise<void> {
  for (let at = 0; body !== undefined && at < body.length && !outgoing.destroyed; at += pieceBytes) {
    onPiece();
    if (outgoing.write(body.subarray(at, at + pieceBytes))) await sleep(1);
    else await drained(outgoing);
  }
}

function drained(outgoing: ReturnType<typeof request>): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      outgoing.off("drain", end).off("close", end);
      resolve();
    };
    outgoing.on("drain", end).on("close", end);
  });
}

/** Again where the shop that was asked stands still. */
async function whenAwake<T>(read: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await read();
    } catch (error) {
      if (tries === 5) throw error;
      await sleep(1_000);
    }
  }
}

import { isDeepStrictEqual } from "node:util";
import { type Part, parseMultipart } from "../../src/capabilities/uploads/index.js";
import { ProblemError } from "../../src/ground/problem/index.js";
import { joined } from "../../src/testing/blobs/bytes.js";
import { seen } from "../capabilities/uploads/multipart/forms.js";
import { randomForm } from "./multipartCases.js";
import { integer, type Random, randomOf } from "./random.js";

/** What became of the forms of a run. */
export interface FuzzReport {
  readonly accepted: number;
  /** By status and code. */
  readonly refused: ReadonlyMap<string, number>;
}

const limits = { requestBytes: 20_000, fileBytes: 2_000, fieldBytes: 500, allFieldsBytes: 800, files: 3, fields: 4, parts: 5, nameBytes: 20 };
const statuses: ReadonlySet<number> = new Set([400, 413]);
/** Longest that one form may take. */
const hangMs = 5_000;

/**
 * Reads that many damaged forms: each at once and in pieces, which must end alike, and once by a reader that leaves parts and files as it likes.
 *
 * @throws {Error} of the first one that ends in anything else than its parts or a problem of the client's
 */
export async function fuzzForms(seed: number, runs: number): Promise<FuzzReport> {
  const random = randomOf(seed);
  const refused = new Map<string, number>();
  let accepted = 0;
  for (let run = 0; run < runs; run++) {
    const text = randomForm(random);
    try {
      const outcome = await judge(Buffer.from(text, "latin1"), random);
      if (outcome === undefined) accepted += 1;
      else refused.set(outcome, (refused.get(outcome) ?? 0) + 1);
    } catch (cause) {
      throw new Error(`Run ${run} of seed ${seed}: ${JSON.stringify(text)}`, { cause });
    }
  }
  return { accepted, refused };
}

async function judge(body: Buffer, random: Random): Promise<string | undefined> {
  const whole = await within(readAll(parse(body, () => body.length)));
  const inPieces = await within(readAll(parse(body, () => 1 + integer(random, 40))));
  // How much of a body over its limit was seen depends on the pieces.
  const isComparable = whole.problem !== "413 TOTAL_TOO_LARGE" && inPieces.problem !== "413 TOTAL_TOO_LARGE";
  const isAlike = whole.problem === undefined ? isDeepStrictEqual(whole, inPieces) : whole.problem === inPieces.problem;
  if (isComparable && !isAlike) throw new Error(`It depends on the pieces: ${JSON.stringify({ whole, inPieces })}`);
  await within(
    readSome(
      parse(body, () => 1 + integer(random, 200)),
      random,
    ),
  );
  return whole.problem;
}

function parse(body: Buffer, size: () => number): AsyncGenerator<Part, void, undefined> {
  return parseMultipart({ headers: { "content-type": "multipart/form-data; boundary=b" }, body: cut(body, size) }, limits);
}

async function* cut(body: Buffer, size: () => number): AsyncGenerator<Uint8Array, void, undefined> {
  for (let at = 0; at < body.length; ) {
    const end = at + Math.max(1, size());
    yield body.subarray(at, end);
    at = end;
  }
}

async function readAll(parts: AsyncIterable<Part>) {
  const all: unknown[] = [];
  const problem = await problemOf(async () => {
    for await (const part of parts) all.push(await seen(part));
  });
  return { all, problem };
}

async function readSome(parts: AsyncIterable<Part>, random: Random): Promise<void> {
  await problemOf(async () => {
    for await (const part of parts) {
      const whim = integer(random, 12);
      if (whim === 0) break;
      if (part.kind === "field" || whim < 4) continue;
      if (whim < 8) await joined(part.bytes);
      else for await (const chunk of part.bytes) if (chunk.length > whim) break;
    }
  });
}

async function problemOf(run: () => Promise<void>): Promise<string | undefined> {
  try {
    await run();
    return undefined;
  } catch (error) {
    if (!(error instanceof ProblemError) || !statuses.has(error.status)) throw error;
    return `${error.status} ${error.code}`;
  }
}

function within<T>(work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("It hangs.")), hangMs);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

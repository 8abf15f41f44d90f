import { monotonicFactory } from "ulid";
import { userInputSchema } from "../floor/schema.js";
import type { NewUser } from "../floor/user.js";
import type { Floor } from "./floor.js";
import type { ReadCsv } from "./parsers.js";

const chunkRows = 1_000;
const pieceBytes = 65_536;
const ulid = monotonicFactory();

type Insert = Pick<Floor, "insert">;

/** Validates users, and inserts each thousand in a transaction. No job, no resume, no report of errors beyond a count. */
class Importer {
  readonly #floor: Insert;
  #users: NewUser[] = [];
  #failed = 0;
  #inserted = 0;

  constructor(floor: Insert) {
    this.#floor = floor;
  }

  add(input: unknown): void {
    const parsed = userInputSchema.safeParse(input);
    if (!parsed.success) {
      this.#failed += 1;
      return;
    }
    const now = new Date();
    this.#users.push({ ...parsed.data, createdAt: now, updatedAt: now, version: ulid() });
  }

  async flush(minRows: number): Promise<void> {
    while (this.#users.length >= minRows && this.#users.length > 0) this.#inserted += await this.#floor.insert(this.#users.splice(0, chunkRows));
  }

  async end(): Promise<number> {
    await this.flush(0);
    if (this.#failed > 0) throw new Error(`${this.#failed} rows failed.`);
    return this.#inserted;
  }
}

/** What someone writes for one table: a parser, the same schema, many rows a statement. */
export async function importCsvByHand(floor: Insert, file: Buffer, read: ReadCsv): Promise<number> {
  const importer = new Importer(floor);
  let header: readonly string[] | undefined;
  await read(file, async (rows) => {
    for (const cells of rows) {
      if (header === undefined) header = cells;
      else importer.add(cells.length === header.length ? userOf(cells) : undefined);
    }
    await importer.flush(chunkRows);
  });
  return importer.end();
}

export async function importNdjsonByHand(floor: Insert, file: Buffer): Promise<number> {
  const importer = new Importer(floor);
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let rest = "";
  for (let at = 0; at < file.length; at += pieceBytes) {
    const lines = (rest + decoder.decode(file.subarray(at, at + pieceBytes), { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) importer.add(JSON.parse(line));
    await importer.flush(chunkRows);
  }
  if (rest !== "") importer.add(JSON.parse(rest));
  return importer.end();
}

function userOf([name = "", email = "", status = "", tags = "", city = "", country = ""]: readonly string[]) {
  return {
    name,
    email,
    ...(status === "" ? {} : { status }),
    ...(tags === "" ? {} : { tags: tags.split("|") }),
    ...(city === "" && country === "" ? {} : { address: { city, country } }),
  };
}

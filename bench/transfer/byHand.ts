import { Parser } from "csv-parse";
import { monotonicFactory } from "ulid";
import { userInputSchema } from "../floor/schema.js";
import type { NewUser, UserStore } from "../floor/user.js";

const chunkRows = 1_000;
const chunkBytes = 65_536;
const ulid = monotonicFactory();

/**
 * What someone writes for one table: the same parser with the same settings, the same schema, many rows a statement, each thousand in a transaction. No
 * job, no resume, no report of errors beyond a count.
 */
export async function importByHand(store: Pick<UserStore, "insertMany">, file: Buffer): Promise<number> {
  let header: readonly string[] | undefined;
  let rows: NewUser[] = [];
  let failed = 0;
  const parser = new Parser({
    record_delimiter: ["\r\n", "\n", "\r"],
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: 1_000_000,
    on_record(cells: string[]) {
      if (header === undefined) header = cells;
      else {
        const user = cells.length === header.length ? readUser(cells) : undefined;
        if (user === undefined) failed += 1;
        else rows.push(user);
      }
      return undefined;
    },
  });
  parser.resume();
  let inserted = 0;
  const flush = async () => {
    for (const user of await store.insertMany(rows)) inserted += user === undefined ? 0 : 1;
    rows = [];
  };
  for (let at = 0; at < file.length; at += chunkBytes) {
    await new Promise<void>((resolve, reject) => {
      parser.write(file.subarray(at, at + chunkBytes), (error) => (error ? reject(error) : resolve()));
    });
    if (rows.length >= chunkRows) await flush();
  }
  await new Promise((resolve) => parser.end(resolve));
  await flush();
  if (failed > 0) throw new Error(`${failed} rows failed.`);
  return inserted;
}

function readUser([name = "", email = "", status = "", tags = "", city = "", country = ""]: readonly string[]): NewUser | undefined {
  const input = {
    name,
    email,
    ...(status === "" ? {} : { status }),
    ...(tags === "" ? {} : { tags: tags.split("|") }),
    ...(city === "" && country === "" ? {} : { address: { city, country } }),
  };
  const parsed = userInputSchema.safeParse(input);
  if (!parsed.success) return undefined;
  const now = new Date();
  return { ...parsed.data, createdAt: now, updatedAt: now, version: ulid() };
}

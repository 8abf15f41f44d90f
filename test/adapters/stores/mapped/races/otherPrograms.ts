import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { type CountersDatabase, foreignWrite, type VersionKind } from "./counterTables.js";

/** A committed write: the quantity that it gave to a row. */
export interface Write {
  readonly id: string;
  readonly quantity: number;
}

/** A program of the developer that counts up the same rows as a service. */
export interface OtherProgram {
  /** Resolves when it has committed a write. Rejects if it ends before. */
  readonly begun: Promise<unknown>;
  /** Ends it after its current write. @throws {Error} if it failed. @returns how many writes it committed */
  stop(): Promise<number>;
}

/** Starts a program that writes the rows `k1` to `k<keys>` in turn, and says of each write that it is committed. */
export type StartProgram = (kind: VersionKind, keys: number, committed: (write: Write) => void) => OtherProgram;

/** Whether tests can run psql. */

/** So many writes end a program that nobody stops. */
const maxWrites = 100_000;

/** Another connection of this process. */
export function connectionProgram({ run }: CountersDatabase): StartProgram {
  return (kind, keys, committed) => {
    let isOver = false;
    let writes = 0;
    const write = async () => {
      const [row] = await run(foreignWrite(kind, `'${keyOf(writes, keys)}'`));
      committed({ id: String(row?.["id"]), quantity: Number(row?.["quantity"]) });
      writes += 1;
    };
    const begun = write();
    const ended = begun.then(async () => {
      while (!isOver && writes < maxWrites) await write();
    });
    return {
      begun,
      async stop() {
        isOver = true;
        await ended;
        return writes;
      },
    };
  };
}

/** psql, which knows nothing of Node's driver and its settings. It gets its next statement when it has answered the one before. */
export function psqlProgram(connectionString: string): StartProgram {
  // libpq takes "+" in an address for a plus sign.
  const args = ["--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--set", "ON_ERROR_STOP=1", connectionString.replaceAll("+", "%20")];
  return (kind, keys, committed) => {
    const psql = spawn("psql", args, { stdio: ["pipe", "pipe", "inherit"] });
    const feed = (writes: number) => {
      if (psql.stdin.writable) psql.stdin.write(`${foreignWrite(kind, `'${keyOf(writes, keys)}'`)};\n`);
    };
    feed(0);
    return programOf(psql, committed, (writes) => void setTimeout(feed, 1, writes));
  };
}

/** In JavaScript of Node itself, so that the process starts quickly. It ends with its standard input. */
const sqliteScript = `
const sqlite = process.getBuiltinModule("node:sqlite");
const Database = sqlite?.DatabaseSync ?? require("libsql");
const [path, text, keys] = process.argv.slice(1);
const database = new Database(path);
database.exec("pragma busy_timeout = 10000");
const statement = database.prepare(text);
let isOver = false;
process.stdin.resume().on("end", () => { isOver = true; });
(function write(writes) {
  if (isOver || writes === ${maxWrites}) return;
  const [{ id, quantity }] = statement.all("k" + (1 + (writes % Number(keys))));
  console.log(id + "|" + quantity);
  setTimeout(write, 2, writes + 1);
})(0);
`;

/** Another process with the same file open. */
export function sqliteProgram(path: string): StartProgram {
  return (kind, keys, committed) => {
    const args = ["--no-warnings", "-e", sqliteScript, path, foreignWrite(kind, "?"), String(keys)];
    return programOf(spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] }), committed);
  };
}

/** @param next called after each write of the process, with how many there were */
function programOf(
  child: ChildProcessByStdio<Writable, Readable, null>,
  committed: (write: Write) => void,
  next?: (writes: number) => void,
): OtherProgram {
  let isOver = false;
  let writes = 0;
  const lines = createInterface({ input: child.stdout }).on("line", (line) => {
    const [id = "", quantity] = line.split("|");
    committed({ id, quantity: Number(quantity) });
    writes += 1;
    if (!isOver && writes < maxWrites) next?.(writes);
  });
  const closed = once(child, "close").then(([code]) => {
    if (code !== 0 || !isOver) throw new Error(`The other program ended with ${String(code)}.`);
  });
  const begun = Promise.race([once(lines, "line"), closed]);
  // A program that has ended is reported by its exit code.
  child.stdin.on("error", () => {});
  return {
    begun,
    async stop() {
      isOver = true;
      child.stdin.end();
      await closed;
      return writes;
    },
  };
}

function keyOf(writes: number, keys: number): string {
  return `k${1 + (writes % keys)}`;
}

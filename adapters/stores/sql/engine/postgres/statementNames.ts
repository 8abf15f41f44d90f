import { createHash } from "node:crypto";
import type { SqlStatement } from "../executor.js";

/** The most statements that have names. The server keeps each of them on every connection. */
const maxNames = 256;
/** Texts that were seen once: lists have as many shapes as clients think of, and most come once. */
const maxSeen = 1_000;

/** SQLSTATE of "does not exist" and "already exists": a proxy between this process and the server moves transactions from one connection to another. */
const foreignConnection: ReadonlySet<unknown> = new Set(["26000", "42P05"]);

/**
 * Names of the statements that are sent again and again: the server parses such a statement once on each connection, and the client asks only once what its columns are.
 *
 * Names are turned off for good when the server does not know one that was sent, as behind a proxy that has no prepared statements, or when a table has changed.
 */
export class StatementNames {
  readonly #names = new Map<string, string>();
  readonly #seen = new Set<string>();
  #isOff = false;

  /** The name of a statement that has one. */
  knownName({ text }: SqlStatement): string | undefined {
    return this.#isOff ? undefined : this.#names.get(text);
  }

  /**
   * The name of a statement, from its second use outside of transactions on: there it can be sent again if its name fails. Lists, counts and groups have none: the server plans a named
   * statement without its values from its sixth use on, as if each value were as frequent as any other.
   */
  nameOf(statement: SqlStatement): string | undefined {
    const { text, scans, isPlannedByValues } = statement;
    const known = this.knownName(statement);
    if (known !== undefined || this.#isOff || scans === true || isPlannedByValues === true || this.#names.size >= maxNames) return known;
    if (!this.#seen.delete(text)) {
      if (this.#seen.size >= maxSeen) this.#seen.clear();
      this.#seen.add(text);
      return undefined;
    }
    // Storages on the same pool must not give one name to two texts.
    const name = `restwright_${createHash("sha256").update(text).digest("hex").slice(0, 32)}`;
    this.#names.set(text, name);
    return name;
  }

  /** Whether a statement failed because of its name. It has then done nothing, and later statements have no names. */
  failed(error: unknown): boolean {
    const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
    const isStale = code === "0A000" && String(message).includes("cached plan");
    if (!foreignConnection.has(code) && !isStale) return false;
    this.#isOff = true;
    return true;
  }
}

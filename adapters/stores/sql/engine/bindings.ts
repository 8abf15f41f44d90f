import type { Dialect } from "./dialect.js";
import type { SqlStatement } from "./executor.js";

/** Collects the values of a statement while its text is written from left to right. */
export class Bindings {
  readonly values: unknown[] = [];
  readonly dialect: Dialect;

  constructor(dialect: Dialect) {
    this.dialect = dialect;
  }

  /** Adds an encoded value. @returns its placeholder */
  bind(value: unknown): string {
    this.values.push(value);
    return this.dialect.placeholder(this.values.length);
  }
}

/** A statement that writes and returns nothing. */
export function write(text: string, { values }: Bindings): SqlStatement {
  return { text, values, writes: true, returns: "none" };
}

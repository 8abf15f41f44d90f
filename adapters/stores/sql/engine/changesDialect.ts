import { createHash } from "node:crypto";
import type { OwnTable } from "../schema/table.js";
import type { Bindings } from "./bindings.js";
import type { SqlRow } from "./executor.js";
import type { CatalogQuery } from "./schemaDialect.js";

/** A place in the log, after which changes are read. */
export interface LogPlace {
  /** The condition "the change comes after it". @param bindings of the statement, whose texts are bound from left to right */
  after(bindings: Bindings): string;
  /** The condition "a change after it may have been dropped", on the table of the last ones that were. */
  isDropped(bindings: Bindings): string;
  /**
   * The position after a page.
   *
   * @param head the position of the log when the page was read
   * @param last the last change of the page, if more follow; `undefined` if it ends what can be read
   */
  next(head: string, last: SqlRow | undefined): LogPosition;
}

/** A position as a text, and whether changes beyond it were known when it was made. */
export interface LogPosition {
  readonly text: string;
  readonly hasMore: boolean;
}

/** What writes the changes of a table into the log: its triggers. */
export interface Capture {
  /** Another capture, such as one of more columns, has another name. */
  readonly name: string;
  readonly statements: readonly string[];
}

/** How an engine keeps the committed writes of tables. */
export interface ChangesDialect {
  /** The columns that order changes within a page, with their types and defaults. Of the dropped ones only the last is kept. */
  readonly order: readonly { readonly name: string; readonly type: string; readonly definition: string }[];
  /** The primary key of the log, if no column is it. */
  readonly key: string | undefined;
  /** The type of the row before a write, as JSON. */
  readonly imageType: string;
  /** The condition "every reader that goes on sees what is before this change"; absent for engines with one writer. */
  readonly settled?: string | undefined;
  /** The expression of the position before all changes that commit from now on, as a text. @param log its quoted name @param dropped that of the last changes that were dropped */
  head(log: string, dropped: string): string;
  /** Reads a position; `undefined` for a text that is none. */
  place(position: string): LogPlace | undefined;
  /**
   * What follows `from`, so that the columns of the table are those of the row before a write.
   *
   * @param inner a select in brackets, whose names begin with `_`; `_before` is the row
   */
  images(table: OwnTable, inner: string): string;
  /** @param columns that the table has, by their names, with their types in lower case. A release that knows fewer must not lose the others */
  capture(table: OwnTable, columns: ReadonlyMap<string, string>): Capture;
  /** The statements that end a capture. */
  drop(table: OwnTable, name: string): readonly string[];
  /** Selects the triggers of all tables as `name` and `table`. */
  triggers(schema: string | undefined): CatalogQuery;
}

const prefix = "restwright:changes:";

/** The name of a capture: of a table, and of what it does. */
export function captureName(table: string, body: unknown): string {
  return (
    prefix +
    createHash("sha256")
      .update(JSON.stringify([table, body]))
      .digest("hex")
      .slice(0, 12)
  );
}

/** The name of the capture that a trigger belongs to; `undefined` for another trigger. */
export function captureOf(trigger: string): string | undefined {
  return trigger.startsWith(prefix) ? trigger.split(":", 3).join(":") : undefined;
}

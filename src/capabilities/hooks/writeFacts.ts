import type { TransactionCollections } from "../../engine/calls/callerCollections.js";
import type { Way } from "../../engine/operation/context.js";
import type { RowWrite } from "../../engine/operation/write/rowEvents.js";
import type { Writer } from "../../engine/operation/write/writableRows.js";
import type { Row } from "../../ground/storage/collection.js";
import type { RowValues } from "../../ground/storage/values/rowValues.js";
import type { ReadRow } from "../../language/schema/rowReader.js";
import type { Principal } from "../../parts/auth/verifier.js";
import type { HookCall } from "./hookCall.js";

/** A write with hooks. */
export interface HookedRow {
  readonly kind: RowWrite["kind"];
  /** Makes the id of the write: most hooks do not ask for it. */
  readonly operationId: () => string;
  /** The row before an update or a removal. */
  readonly before: Row | undefined;
  /** The row that an update or a create would leave, without what hooks add. */
  readonly next: RowValues | undefined;
  /** The fields that the caller named. */
  readonly names: readonly string[];
}

/** How the rows of hooks are made, and for whom. */
export interface FactParts {
  readonly read: ReadRow;
  readonly writer: Writer;
}

/** What hooks are told of a write. Its getters make each part when a hook asks for it. */
abstract class WriteFacts {
  readonly kind: RowWrite["kind"];
  readonly #row: HookedRow;
  readonly #parts: FactParts;
  readonly #call: HookCall;
  #before: RowValues | undefined;

  constructor(row: HookedRow, parts: FactParts, call: HookCall) {
    this.kind = row.kind;
    this.#row = row;
    this.#parts = parts;
    this.#call = call;
  }

  get operationId(): string {
    return this.#row.operationId();
  }

  get before(): RowValues | undefined {
    const { before } = this.#row;
    if (before !== undefined) this.#before ??= this.#parts.read(before);
    return this.#before;
  }

  protected copyOf(row: RowValues): RowValues {
    return this.#parts.read(row);
  }

  get changes(): RowValues | undefined {
    const { kind, names, next } = this.#row;
    if (kind === "remove" || next === undefined) return undefined;
    const row = this.#parts.read(next);
    return Object.freeze(Object.fromEntries(names.map((name) => [name, row[name]])));
  }

  get principal(): Principal | undefined {
    return this.#parts.writer.isSystem ? undefined : this.#parts.writer.principal;
  }

  get requestId(): string {
    return this.#parts.writer.requestId;
  }

  get attempt(): number {
    return this.#call.attempt;
  }

  get way(): Way {
    return this.#parts.writer.way ?? "http";
  }

  get tx(): TransactionCollections {
    return this.#call.tx;
  }

  get signal(): AbortSignal {
    return this.#call.signal;
  }
}

/** What `beforeWrite` is told. */
export class ComingFacts extends WriteFacts {
  readonly #next: RowValues | undefined;
  #copy: RowValues | undefined;

  constructor(row: HookedRow, parts: FactParts, call: HookCall) {
    super(row, parts, call);
    this.#next = row.next;
  }

  get next(): RowValues | undefined {
    if (this.#next !== undefined) this.#copy ??= this.copyOf(this.#next);
    return this.#copy;
  }
}

/** What `afterWrite` is told. */
export class DoneFacts extends WriteFacts {
  readonly #stored: Row;
  #copy: RowValues | undefined;

  /** @param stored the row as it is stored; of a removal the last one */
  constructor(row: HookedRow, stored: Row, parts: FactParts, call: HookCall) {
    super(row, parts, call);
    this.#stored = stored;
  }

  get row(): RowValues {
    this.#copy ??= this.copyOf(this.#stored);
    return this.#copy;
  }
}

/** What hooks of a slice are told beside its writes. */
export class SliceFacts<Write> {
  readonly writes: readonly Write[];
  readonly #writer: Writer;
  readonly #call: HookCall;

  constructor(writes: readonly Write[], writer: Writer, call: HookCall) {
    this.writes = writes;
    this.#writer = writer;
    this.#call = call;
  }

  get principal(): Principal | undefined {
    return this.#writer.isSystem ? undefined : this.#writer.principal;
  }

  get requestId(): string {
    return this.#writer.requestId;
  }

  get attempt(): number {
    return this.#call.attempt;
  }

  get way(): Way {
    return this.#writer.way ?? "http";
  }

  get tx(): TransactionCollections {
    return this.#call.tx;
  }

  get signal(): AbortSignal {
    return this.#call.signal;
  }
}

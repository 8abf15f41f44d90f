import type { LatestRows, SliceWrite } from "../../engine/operation/write/writeSlice.js";
import type { Call, Row } from "../../ground/storage/collection.js";
import type { Id } from "../../ground/storage/values/scalar.js";
import type { HookedParts } from "./chain.js";
import type { Answers, WrittenRow } from "./runningHooks.js";
import type { HookedRow } from "./writeFacts.js";

/** How the rows of a slice ask their hooks. */
interface SliceParts {
  ask(rows: readonly HookedRow[]): Promise<Answers>;
  /** Returns the rows as they stand after the hooks. */
  tell(written: readonly WrittenRow[], call: Call): Promise<readonly Row[]>;
  hookedOf(write: SliceWrite): HookedRow;
}

/**
 * Asks the hooks of rows that are written one after the other. If a hook takes slices, and the caller has said which writes follow, it is asked once for all of them: before
 * the first write, and when the slice ends.
 */
export class HookedSlice {
  readonly #parts: SliceParts;
  /** The writes that hooks before them take at once. */
  readonly #writes: readonly SliceWrite[] | undefined;
  readonly #tellsLater: boolean;
  readonly #written: WrittenRow[] = [];
  #asked: Promise<{ readonly answers: Answers; readonly index: ReadonlyMap<Id, number> }> | undefined;
  #call: Call = {};

  constructor({ hooks, write }: HookedParts, parts: SliceParts) {
    const { slice } = write.upcoming;
    this.#parts = parts;
    this.#writes = hooks.before?.isOfSlice === true ? slice?.writes : undefined;
    this.#tellsLater = slice !== undefined && hooks.after?.isOfSlice === true;
    if (this.#tellsLater) slice?.ends.push(() => this.#end(write.model.id));
  }

  /** Asks what comes before the write of a row. */
  async ask(id: Id, hooked: HookedRow): Promise<Answers> {
    const writes = this.#writes;
    if (writes === undefined) return this.#parts.ask([hooked]);
    this.#asked ??= this.#askAll(writes);
    const { answers, index } = await this.#asked;
    const at = index.get(id);
    return at === undefined ? this.#parts.ask([hooked]) : { answers: answers.answers.slice(at, at + 1), isUsed: answers.isUsed };
  }

  /** Runs what comes after the write of a row. @returns the row as it stands then */
  async tell(written: WrittenRow, call: Call): Promise<Row> {
    if (this.#tellsLater) {
      this.#written.push(written);
      this.#call = call;
      return written.stored;
    }
    const [row] = await this.#parts.tell([written], call);
    return row as Row;
  }

  async #askAll(writes: readonly SliceWrite[]) {
    const index = new Map(writes.map(({ id }, at) => [id, at]));
    return { answers: await this.#parts.ask(writes.map((write) => this.#parts.hookedOf(write))), index };
  }

  async #end(idName: string): Promise<LatestRows> {
    const rows = await this.#parts.tell(this.#written, this.#call);
    return new Map(rows.map((row) => [row[idName] as Id, { row }]));
  }
}

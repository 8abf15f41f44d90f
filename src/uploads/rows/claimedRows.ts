import { mapInTurns } from "../../http/yieldToEventLoop.js";
import { RowsById } from "../../operation/rowsById.js";
import { ProblemError, type ProblemItem } from "../../problem/index.js";
import type { Call, Collection, InsertManyOptions, NewRow, Row, RowPatch } from "../../storage/collection.js";
import type { Outcome } from "../../storage/outcome.js";
import type { InsertCall, RemoveCall, UpdateCall } from "../../storage/rowsOver.js";
import type { Id } from "../../storage/scalar.js";
import type { Upload } from "../records/upload.js";
import type { Claimant, Claims } from "./claims.js";
import type { FileField } from "./fileFields.js";

/** A file that a write has claimed. */
interface Claimed extends Held {
  readonly upload: Upload;
}

/** A file in a field. */
interface Held {
  readonly field: string;
  readonly id: string;
}

type Values = Readonly<Record<string, unknown>>;

/** What claims the files of rows. */
interface ClaimedParts {
  readonly fields: readonly FileField[];
  readonly claims: Claims;
  readonly idName: string;
  /** Whether rows that are removed stay, and may be restored with their files. */
  readonly keepsDeleted: boolean;
}

/** The rows of a collection whose fields hold files, in the transaction of a write: it claims the files that it sets, and releases those that it takes away. */
export class ClaimedRows extends RowsById {
  readonly #fields: readonly FileField[];
  readonly #claims: Claims;
  /** The name of the field of ids. */
  readonly #idName: string;
  readonly #keepsDeleted: boolean;

  constructor(rows: Required<Collection>, parts: ClaimedParts) {
    super(rows);
    this.#idName = parts.idName;
    this.#fields = parts.fields;
    this.#claims = parts.claims;
    this.#keepsDeleted = parts.keepsDeleted;
  }

  override async insert(row: NewRow, call: InsertCall): Promise<Outcome<Row>> {
    const claimed = await this.#claim(row, this.#fields, { row: textOf(row[this.#idName]), operationId: call.operationId });
    if (claimed instanceof ProblemError) return { ok: false, why: "problem", problem: claimed };
    const outcome = await this.#keptIf(claimed, () => this.rows.insert(row, call));
    if (outcome.ok) await this.#name(claimed, outcome.row);
    return outcome;
  }

  override async insertMany(given: readonly NewRow[], call: Call & InsertManyOptions): Promise<Outcome<Row>[]> {
    const asked = await mapInTurns(given, (row, index) => {
      const operationId = call.operationIds?.[index] || undefined;
      return this.#claim(row, this.#fields, { row: textOf(row[this.#idName]), operationId });
    });
    const ready = asked.flatMap((claimed, index) => (claimed instanceof ProblemError ? [] : [{ claimed, index }]));
    const rows = ready.map(({ index }) => given[index] as NewRow);
    const operationIds = call.operationIds && ready.map(({ index }) => call.operationIds?.[index] ?? "");
    const isNumbered = ready.some(({ claimed, index }) => claimed.length > 0 && given[index]?.[this.#idName] === undefined);
    const returning = call.returning === "none" && isNumbered ? "id" : call.returning;
    const insert = () => (rows.length === 0 ? Promise.resolve([]) : this.rows.insertMany(rows, { ...call, operationIds, returning }));
    const inserted = await this.#releasedIfThrown(
      ready.flatMap(({ claimed }) => claimed),
      insert,
    );
    const outcomes = asked.map((problem): Outcome<Row> => ({ ok: false, why: "problem", problem: problem as ProblemError }));
    for (const [position, { claimed, index }] of ready.entries()) {
      const outcome = inserted[position] as Outcome<Row>;
      outcomes[index] = outcome;
      await (outcome.ok ? this.#name(claimed, outcome.row) : this.#release(claimed));
    }
    return outcomes;
  }

  override async update(id: Id, patch: RowPatch, call: UpdateCall): Promise<Outcome<Row>> {
    const named = this.#fields.filter(({ name }) => call.replace === true || name in patch);
    if (named.length === 0) return this.rows.update(id, patch, call);
    const before = call.before ?? (await this.rows.get(id, call));
    if (before === undefined) return { ok: false, why: "missing" };
    if (call.ifVersion !== undefined && before._version !== call.ifVersion) return { ok: false, why: "stale", current: before };
    const changed = named.filter(({ name }) => (before[name] ?? null) !== (patch[name] ?? null));
    const claimed = await this.#claim(patch, changed, { row: String(id) });
    if (claimed instanceof ProblemError) return { ok: false, why: "problem", problem: claimed };
    // The version pins the row whose files are released.
    const pinned: UpdateCall = { ...call, ifVersion: before._version, before };
    const outcome = await this.#keptIf(claimed, () => this.rows.update(id, patch, pinned));
    if (outcome.ok) await this.#release(held(before, changed));
    return outcome;
  }

  override async remove(id: Id, call: RemoveCall): Promise<Outcome<Row>> {
    const outcome = await this.rows.remove(id, call);
    const isGone = !this.#keepsDeleted || call.deleted !== undefined;
    if (outcome.ok && isGone) await this.#release(held(outcome.row, this.#fields));
    return outcome;
  }

  /** Claims the files that these fields are set to: all of them, or none. */
  async #claim(values: Values, fields: readonly FileField[], claimant: Claimant): Promise<readonly Claimed[] | ProblemError> {
    const claimed: Claimed[] = [];
    const refused: ProblemItem[] = [];
    for (const field of fields) {
      const id = values[field.name];
      if (typeof id !== "string") continue;
      const answer = await this.#claims.claim(field, id, claimant);
      if ("record" in answer) claimed.push({ field: field.name, id, upload: answer });
      else refused.push(answer);
    }
    if (refused.length === 0) return claimed;
    await this.#release(claimed);
    return new ProblemError("FILE_NOT_AVAILABLE", refused.map(({ detail }) => detail).join(" "), { errors: refused });
  }

  /** Releases what was claimed if nothing was written: the transaction may go on with other rows. */
  async #keptIf(claimed: readonly Claimed[], write: () => Promise<Outcome<Row>>): Promise<Outcome<Row>> {
    const outcome = await this.#releasedIfThrown(claimed, write);
    if (!outcome.ok) await this.#release(claimed);
    return outcome;
  }

  async #releasedIfThrown<R>(claimed: readonly Claimed[], write: () => Promise<R>): Promise<R> {
    try {
      return await write();
    } catch (error) {
      // A transaction that has failed takes its claims with it, and says so again.
      await this.#release(claimed).catch(() => {});
      throw error;
    }
  }

  /** Notes the row in claims that were made before it had an id, and in those of an earlier attempt that inserted another row. */
  async #name(claimed: readonly Claimed[], inserted: Row): Promise<void> {
    const row = textOf(inserted[this.#idName]);
    if (row === undefined) return;
    for (const { upload } of claimed) await this.#claims.name(upload, row);
  }

  async #release(files: readonly Held[]): Promise<void> {
    for (const { field, id } of files) await this.#claims.release(field, id);
  }
}

function held(row: Values, fields: readonly FileField[]): readonly Held[] {
  return fields.flatMap(({ name }) => {
    const id = row[name];
    return typeof id === "string" ? [{ field: name, id }] : [];
  });
}

/** The text of an id. */
function textOf(id: unknown): string | undefined {
  return id === undefined || id === null ? undefined : String(id);
}

import { type Creation, createOthers, type Need, type Removal, type Update, type WriteStage } from "../../../engine/operation/write/stage.js";
import { mapInTurns } from "../../../ground/http/yieldToEventLoop.js";
import { ProblemError, type ProblemItem } from "../../../ground/problem/index.js";
import type { Row, RowPatch } from "../../../ground/storage/collection.js";
import type { UpdateCall } from "../../../ground/storage/completed/rowsOver.js";
import type { Outcome } from "../../../ground/storage/outcome.js";
import type { RowValues } from "../../../ground/storage/values/rowValues.js";
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

/** What claims the files of rows. */
interface ClaimedParts {
  readonly fields: readonly FileField[];
  readonly claims: Claims;
  readonly idName: string;
  /** Whether rows that are removed stay, and may be restored with their files. */
  readonly keepsDeleted: boolean;
}

/** Claims the files that a write sets, and releases those that it takes away, in its transaction. */
export class ClaimStage implements WriteStage {
  readonly #fields: readonly FileField[];
  readonly #claims: Claims;
  /** The name of the field of ids. */
  readonly #idName: string;
  readonly #keepsDeleted: boolean;

  constructor(parts: ClaimedParts) {
    this.#idName = parts.idName;
    this.#fields = parts.fields;
    this.#claims = parts.claims;
    this.#keepsDeleted = parts.keepsDeleted;
  }

  needsForUpdate(patch: RowPatch, call: UpdateCall): Need {
    // The version pins the row whose files are released.
    return this.#named(patch, call).length > 0 ? "pinned" : undefined;
  }

  async create({ rows: given, call }: Creation, next: (creation: Creation) => Promise<Outcome<Row>[]>): Promise<Outcome<Row>[]> {
    const asked = await mapInTurns(given, (row, index) => {
      const operationId = call.operationIds?.[index] || undefined;
      return this.#claim(row, this.#fields, { row: textOf(row[this.#idName]), operationId });
    });
    const refusals = new Map<number, Outcome<Row>>();
    for (const [index, claimed] of asked.entries()) {
      if (claimed instanceof ProblemError) refusals.set(index, { ok: false, why: "problem", problem: claimed });
    }
    const claims = asked.map((claimed) => (claimed instanceof ProblemError ? [] : claimed));
    const isNumbered = claims.some((claimed, index) => claimed.length > 0 && given[index]?.[this.#idName] === undefined);
    const returning = call.returning === "none" && isNumbered ? "id" : call.returning;
    const outcomes = await this.#releasedIfThrown(claims.flat(), () => createOthers({ rows: given, call: { ...call, returning } }, refusals, next));
    for (const [index, outcome] of outcomes.entries()) {
      const claimed = claims[index] ?? [];
      await (outcome.ok ? this.#name(claimed, outcome.row) : this.#release(claimed));
    }
    return outcomes;
  }

  async update(update: Update, next: (update: Update) => Promise<Outcome<Row>>): Promise<Outcome<Row>> {
    const { id, before, patch, call } = update;
    const named = this.#named(patch, call);
    if (before === undefined || named.length === 0) return next(update);
    const changed = named.filter(({ name }) => (before[name] ?? null) !== (patch[name] ?? null));
    const claimed = await this.#claim(patch, changed, { row: String(id) });
    if (claimed instanceof ProblemError) return { ok: false, why: "problem", problem: claimed };
    const outcome = await this.#releasedIfThrown(claimed, () => next(update));
    await this.#release(outcome.ok ? held(before, changed) : claimed);
    return outcome;
  }

  async remove(removal: Removal, next: (removal: Removal) => Promise<Outcome<Row>>): Promise<Outcome<Row>> {
    const outcome = await next(removal);
    const isGone = !this.#keepsDeleted || removal.call.deleted !== undefined;
    if (outcome.ok && isGone) await this.#release(held(outcome.row, this.#fields));
    return outcome;
  }

  /** The fields with files that a write sets. */
  #named(patch: RowPatch, { replace }: UpdateCall): readonly FileField[] {
    return this.#fields.filter(({ name }) => replace === true || name in patch);
  }

  /** Claims the files that these fields are set to: all of them, or none. */
  async #claim(values: RowValues, fields: readonly FileField[], claimant: Claimant): Promise<readonly Claimed[] | ProblemError> {
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

  /** Releases what was claimed if the write throws: the transaction may go on with other rows. */
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

function held(row: RowValues, fields: readonly FileField[]): readonly Held[] {
  return fields.flatMap(({ name }) => {
    const id = row[name];
    return typeof id === "string" ? [{ field: name, id }] : [];
  });
}

/** The text of an id. */
function textOf(id: unknown): string | undefined {
  return id === undefined || id === null ? undefined : String(id);
}

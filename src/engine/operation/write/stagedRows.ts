import type { Call, Collection, InsertManyOptions, NewRow, Row, RowPatch } from "../../../ground/storage/collection.js";
import { type InsertCall, type RemoveCall, RowsOver, type UpdateCall } from "../../../ground/storage/completed/rowsOver.js";
import type { Outcome } from "../../../ground/storage/outcome.js";
import type { Id } from "../../../ground/storage/values/scalar.js";
import type { Creation, Need, Removal, Update, WriteStage } from "./stage.js";

/**
 * The rows of a collection whose writes pass through stages, the first of them first. Reads the row before a write once, if a stage
 * asks for it, and refuses a write whose row is missing or has changed.
 */
export class StagedRows extends RowsOver {
  readonly #stages: readonly WriteStage[];

  constructor(rows: Required<Collection>, stages: readonly WriteStage[]) {
    super(rows);
    this.#stages = stages;
  }

  override async insert(row: NewRow, call: InsertCall): Promise<Outcome<Row>> {
    const { operationId, ...others } = call;
    const last = async ({ rows: [ready] }: Creation) => [await this.rows.insert(ready as NewRow, call)];
    const creation = { rows: [row], call: { ...others, operationIds: operationId === undefined ? undefined : [operationId] } };
    const [outcome] = await through(this.#stages, "create", creation, last);
    return outcome as Outcome<Row>;
  }

  override insertMany(rows: readonly NewRow[], call: Call & InsertManyOptions): Promise<Outcome<Row>[]> {
    return through(this.#stages, "create", { rows, call }, (creation) => this.rows.insertMany(creation.rows, creation.call));
  }

  override async update(id: Id, patch: RowPatch, call: UpdateCall): Promise<Outcome<Row>> {
    const last = (update: Update) => this.rows.update(update.id, update.patch, update.call);
    const need = strongest(this.#stages.map((stage) => stage.needsForUpdate?.(patch, call)));
    if (need === undefined) return through(this.#stages, "update", { id, before: undefined, patch, call }, last);
    const before = await this.#before(id, call);
    if (before === undefined) return { ok: false, why: "missing" };
    if (call.ifVersion !== undefined && before._version !== call.ifVersion) return { ok: false, why: "stale", current: before };
    const pinned = need === "pinned" ? { ...call, ifVersion: before._version, before } : call;
    return through(this.#stages, "update", { id, before, patch, call: pinned }, last);
  }

  override async remove(id: Id, call: RemoveCall): Promise<Outcome<Row>> {
    const last = (removal: Removal) => this.rows.remove(removal.id, removal.call);
    const need = strongest(this.#stages.map((stage) => stage.needsForRemoval?.()));
    const before = need && (await this.#before(id, call));
    const pinned = need === "pinned" && before ? { ...call, ifVersion: call.ifVersion ?? before._version, before } : call;
    const isGone = this.#stages.some((stage) => stage.hasRemoved?.(id));
    return through(this.#stages, "remove", { id, before, isGone, call: pinned }, last);
  }

  /** Only the store knows which rows a write by filter changes, so that rows with stages are written by their ids. */
  override updateMany(): Promise<number> {
    return refused();
  }

  override removeMany(): Promise<number> {
    return refused();
  }

  /** The row before its write. A version pins the row that the caller read. */
  async #before(id: Id, call: UpdateCall | RemoveCall): Promise<Row | undefined> {
    for (const stage of this.#stages) {
      const latest = stage.latest?.(id);
      if (latest !== undefined) return latest;
    }
    const isPinned = call.ifVersion !== undefined && call.before?._version === call.ifVersion;
    return isPinned ? call.before : this.rows.get(id, call);
  }
}

async function refused(): Promise<never> {
  throw new Error("Rows with rules are written by their ids.");
}

function strongest(needs: readonly Need[]): Need {
  return needs.includes("pinned") ? "pinned" : needs.find((need) => need !== undefined);
}

interface Steps {
  readonly create: [Creation, Outcome<Row>[]];
  readonly update: [Update, Outcome<Row>];
  readonly remove: [Removal, Outcome<Row>];
}

type Next<K extends keyof Steps> = (write: Steps[K][0]) => Promise<Steps[K][1]>;

/** Runs one step of each stage that has it, and the last one within them. */
function through<K extends keyof Steps>(stages: readonly WriteStage[], step: K, write: Steps[K][0], last: Next<K>): Promise<Steps[K][1]> {
  const from =
    (index: number): Next<K> =>
    (each) => {
      const at = stages.findIndex((stage, position) => position >= index && stage[step] !== undefined);
      const stage = stages[at] as { readonly [S in K]: (write: Steps[K][0], next: Next<K>) => Promise<Steps[K][1]> } | undefined;
      return stage === undefined ? last(each) : stage[step](each, from(at + 1));
    };
  return from(0)(write);
}

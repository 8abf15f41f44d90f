import { mapInTurns } from "../../../ground/http/yieldToEventLoop.js";
import type { Call, Collection, InsertCall, InsertManyOptions, NewRow, Row, RowPatch, RowUpdate } from "../../../ground/storage/collection.js";
import { type RemoveCall, RowsOver, type UpdateCall } from "../../../ground/storage/completed/rowsOver.js";
import type { FailedOutcome, Outcome } from "../../../ground/storage/outcome.js";
import type { Id } from "../../../ground/storage/values/scalar.js";
import { type Creation, type Need, type Removal, type Update, updateOthers, type WriteStage } from "./stage.js";

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
    const pinned = await this.#pinned(id, patch, call);
    if ("ok" in pinned) return pinned;
    return through(this.#stages.map(ofOneUpdate), "update", pinned, (update) => this.rows.update(update.id, update.patch, update.call));
  }

  /** Each stage gets all updates at once, unless one of them needs the rows one after the other. */
  override async updateEach(updates: readonly RowUpdate[], call: Call): Promise<Outcome<Row>[]> {
    const calls = updates.map(({ id, patch, ...own }) => ({ id, patch, call: { ...call, ...own } }));
    if (this.#stages.some(({ update }) => update !== undefined)) return mapInTurns(calls, (each) => this.update(each.id, each.patch, each.call));
    const refusals = new Map<number, Outcome<Row>>();
    const read = await mapInTurns(calls, async (each, index): Promise<Update> => {
      const pinned = await this.#pinned(each.id, each.patch, each.call);
      if ("ok" in pinned) refusals.set(index, pinned);
      return "ok" in pinned ? { ...each, before: undefined } : pinned;
    });
    const last = (ready: readonly Update[]) =>
      this.rows.updateEach(
        ready.map(({ id, patch, call: { ifVersion, replace, before } }) => ({ id, patch, ifVersion, replace, before })),
        call,
      );
    return updateOthers(read, refusals, (ready) => through(this.#stages, "updateEach", ready, last));
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

  /** The update with the row before it, if a stage asks for that; an outcome if it cannot be written. */
  async #pinned(id: Id, patch: RowPatch, call: UpdateCall): Promise<Update | FailedOutcome<Row>> {
    const need = strongest(this.#stages.map((stage) => stage.needsForUpdate?.(patch, call)));
    if (need === undefined) return { id, before: undefined, patch, call };
    const before = await this.#before(id, call);
    if (before === undefined) return { ok: false, why: "missing" };
    if (call.ifVersion !== undefined && before._version !== call.ifVersion) return { ok: false, why: "stale", current: before };
    return { id, before, patch, call: need === "pinned" ? { ...call, ifVersion: before._version, before } : call };
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
  readonly updateEach: [readonly Update[], Outcome<Row>[]];
  readonly remove: [Removal, Outcome<Row>];
}

type Next<K extends keyof Steps> = (write: Steps[K][0]) => Promise<Steps[K][1]>;

/** A stage with the step of one update, if it has that of several. */
function ofOneUpdate(stage: WriteStage): Pick<WriteStage, "update"> {
  if (stage.updateEach === undefined) return stage;
  return {
    async update(update, next) {
      const [outcome] = (await stage.updateEach?.([update], async ([one]) => [await next(one as Update)])) ?? [];
      return outcome as Outcome<Row>;
    },
  };
}

/** Runs one step of each stage that has it, and the last one within them. */
function through<K extends keyof Steps>(stages: readonly Pick<WriteStage, K>[], step: K, write: Steps[K][0], last: Next<K>): Promise<Steps[K][1]> {
  const from =
    (index: number): Next<K> =>
    (each) => {
      const at = stages.findIndex((stage, position) => position >= index && stage[step] !== undefined);
      const stage = stages[at] as { readonly [S in K]: (write: Steps[K][0], next: Next<K>) => Promise<Steps[K][1]> } | undefined;
      return stage === undefined ? last(each) : stage[step](each, from(at + 1));
    };
  return from(0)(write);
}

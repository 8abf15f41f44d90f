import type { Filter, RelatedFilter } from "../../../ground/storage/filter.js";
import type { CollectionModel } from "../../../ground/storage/model.js";
import type { Path } from "../../../ground/storage/values/scalar.js";
import { itemModel } from "../model.js";
import type { Items, Stage } from "../stage.js";

/** Tasks belong to a project by `code` and to another task by `email`, projects belong to a team by `code` and to a numbered one by `quantity`. */
export interface RelatedItems {
  readonly tasks: Items;
  readonly projects: Items;
  readonly teams: Items;
  readonly numbered: Items;
}

/** The filter "the value at the path is the id of a row that matches". */
export function within(path: string, { model }: Items, filter: Filter): RelatedFilter {
  return { op: "related", path: [path], collection: model, filter };
}

export const named = (name: string): Filter => ({ op: "eq", path: ["name"], value: name });

/** Empty collections. */
export async function openRelated(stage: Stage, indexes: CollectionModel["indexes"] = []): Promise<RelatedItems> {
  const columns = itemModel.columns.map((column) => (column.name === "id" ? { name: "id", kind: "int" as const } : column));
  return {
    tasks: await stage.open({ indexes }),
    projects: await stage.open({ indexes }),
    teams: await stage.open(),
    numbered: await stage.open({ idFrom: "store", columns }),
  };
}

const codeIndex: readonly (readonly Path[])[] = [[["code"]], [["name"]]];

/** Rows that scenarios only read, with an index on the foreign key or without one. */
export function prepareRelated(stage: Stage, isIndexed: boolean): Promise<RelatedItems> {
  const name = `related ${isIndexed}`;
  return known(stage, name, async () => {
    const items = await openRelated(stage, isIndexed ? codeIndex : []);
    await items.teams.addAll([
      { id: "t1", name: "red" },
      { id: "t2", name: "blue" },
    ]);
    const first = await items.numbered.add({ name: "one" });
    const second = await items.numbered.add({ name: "two" });
    await items.projects.addAll([
      { id: "p1", name: "open", code: "t1", quantity: first["id"], tags: ["a"] },
      { id: "p2", name: "open", code: "t2", quantity: second["id"] },
      { id: "p3", name: "done", code: null, quantity: null, tags: ["a", "b"] },
      { id: "p4", code: "gone" },
    ]);
    await items.tasks.addAll([
      { id: "a", name: "x", code: "p1", email: null },
      { id: "b", name: "y", code: "p1", email: "a" },
      { id: "c", name: "x", code: "p2", email: "b" },
      { id: "d", name: null, code: "p3", email: "d" },
      { id: "e", name: "y", code: null },
      { id: "f", code: "gone", email: "a" },
      { id: "g", name: "x", code: "p4" },
      { id: "h" },
    ]);
    return items;
  });
}

const prepared = new WeakMap<Stage, Map<string, Promise<RelatedItems>>>();

function known(stage: Stage, name: string, prepare: () => Promise<RelatedItems>): Promise<RelatedItems> {
  const ofStage = prepared.get(stage) ?? new Map<string, Promise<RelatedItems>>();
  prepared.set(stage, ofStage);
  const items = ofStage.get(name) ?? prepare();
  ofStage.set(name, items);
  return items;
}

import type { Context } from "../../../../engine/operation/context.js";
import type { Permit } from "../../../../engine/operation/permit.js";
import { locationOf } from "../../../../engine/resource/read/respond.js";
import type { Resource } from "../../../../engine/resource/resource.js";
import { toBodyValue } from "../../../../engine/resource/write/rowValues.js";
import type { Row } from "../../../../ground/storage/collection.js";
import { strongTag } from "../../../../language/conditional/etag.js";
import type { View } from "../../../../language/fields/view.js";
import { jobsOf } from "../../../jobs/settings.js";
import type { SliceWork } from "../slices.js";
import { DataRoom } from "./dataRoom.js";
import type { ItemResult } from "./result.js";

/** Creates the results of successful items, with the fields that the principal may read. */
export class ItemResults {
  readonly #resource: Resource;
  readonly #context: Context;
  readonly #withData: boolean;
  readonly #room: DataRoom;
  /** The previous view: most items of a batch have the same one. */
  #view: { readonly fields: Permit["fields"]; readonly view: View } | undefined;

  /** @param withData whether results contain rows, or only ids and tags */
  constructor(resource: Resource, context: Context, withData: boolean) {
    this.#resource = resource;
    this.#context = context;
    this.#withData = withData;
    this.#room = new DataRoom(context.environment.limits.batchBodyBytes);
  }

  /** What the work of a batch does to keep its results within one response. */
  readonly bounded: Pick<SliceWork<never, never>, "fit" | "recall"> = {
    fit: (results, first) => this.fit(results, first),
    recall: async (end) => {
      const { job, environment } = this.#context;
      if (job === undefined || this.#room.knows(end)) return;
      const entries = (await jobsOf(environment)?.store.entries(job.job.id, -1, end)) ?? [];
      this.fit(
        entries.map(({ value }) => value as ItemResult),
        0,
      );
    },
  };

  /** @param keeps whether a result keeps its `data` in any case */
  fit(results: readonly ItemResult[], first: number, keeps?: (result: ItemResult) => boolean): readonly ItemResult[] {
    return this.#room.fit(results, first, keeps);
  }

  /** @param isHidden whether the principal may not read the row */
  created(row: Row, permit: Permit, isHidden?: boolean): ItemResult {
    return { status: 201, id: this.#id(row), location: locationOf(this.#resource, row, this.#context), ...this.#state(row, permit, isHidden) };
  }

  updated(row: Row, permit: Permit, isHidden?: boolean): ItemResult {
    return { status: 200, id: this.#id(row), ...this.#state(row, permit, isHidden) };
  }

  /** With the row, if the client requested a representation of what it deleted. */
  removed(row: Row, permit: Permit, wantsRow: boolean): ItemResult {
    const id = this.#id(row);
    return wantsRow ? { status: 200, id, data: this.viewOf(permit).select(row) } : { status: 204, id };
  }

  viewOf({ fields }: Permit): View {
    if (this.#view === undefined || this.#view.fields !== fields) {
      this.#view = { fields, view: this.#resource.views.of("full", this.#context.principal, fields) };
    }
    return this.#view.view;
  }

  #id(row: Row): unknown {
    return toBodyValue(this.#resource.id, row[this.#resource.id.name]);
  }

  #state(row: Row, permit: Permit, isHidden = false): Pick<ItemResult, "etag" | "data"> {
    if (isHidden) return {};
    const view = this.viewOf(permit);
    const etag = strongTag(row._version, view.tag);
    return this.#withData ? { etag, data: view.select(row) } : { etag };
  }
}

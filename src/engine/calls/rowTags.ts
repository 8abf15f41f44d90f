import { strongTag } from "../../language/conditional/etag.js";
import { type View, Views } from "../../language/fields/view.js";

const tags = new WeakMap<object, string>();

/**
 * The ETag of a row that a call from code returned, as the header of an answer has it; `undefined` for any other object.
 *
 * @example
 * const order = await shop.orders.get(7);
 * response.setHeader("etag", etagOf(order));
 */
export function etagOf(row: object): string | undefined {
  return tags.get(row);
}

/** Views that remember the ETag of each row that they select. */
export class TaggingViews extends Views {
  readonly #known = new WeakMap<View, View>();

  override of(...request: Parameters<Views["of"]>): View {
    return this.#tagging(super.of(...request));
  }

  override chosen(...request: Parameters<Views["chosen"]>): View {
    return request[0].fields === undefined ? super.chosen(...request) : this.#tagging(super.chosen(...request));
  }

  #tagging(view: View): View {
    const known = this.#known.get(view);
    if (known !== undefined) return known;
    const tagging: View = {
      ...view,
      tagged: true,
      select(row) {
        const selected = view.select(row);
        tags.set(selected, strongTag(String(row["_version"]), view.tag));
        return selected;
      },
    };
    this.#known.set(view, tagging);
    return tagging;
  }
}

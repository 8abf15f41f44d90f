import { listCodes } from "../../engine/description/codes.js";
import { collectionsWith, type DescribeOperation } from "../../engine/description/describing.js";
import { accepted, json, negotiated } from "../../engine/description/media.js";
import { answered, arrayOf } from "../../engine/description/schemas/object.js";
import { namedSearchSchema } from "../../engine/description/schemas/searchSchema.js";

/** `/searches`. The searches of a collection are described with its rows. */
export const describeSearches: DescribeOperation = (describing, operation) => {
  if (operation.name !== "searches.create") return undefined;
  const [collection] = collectionsWith(describing, "list");
  return {
    summary: "Search a collection",
    text: "A list with its query in the body, which also names the collection.",
    bodies: accepted(operation, () => namedSearchSchema(describing), { [json]: collection && { collection, perPage: 10 } }),
    answers: [{ status: 200, text: "A page of the list.", headers: ["X-Total-Count"], bodies: negotiated(operation, listOfAny, { type: "object" }) }],
    codes: [...listCodes, "NOT_FOUND", "FORBIDDEN"],
  };
};

const listOfAny = { anyOf: [answered({ data: arrayOf({ type: "object" }), meta: { type: "object" } }), arrayOf({})] };

import type { Components, Reference } from "../components.js";

const nullableText = { type: ["string", "null"] };
const count = { type: ["integer", "null"], minimum: 0 };

/** `meta` of a list. */
export function listMeta(components: Components): Reference {
  return components.own("ListMeta", () => ({
    type: "object",
    required: ["page", "perPage", "total", "totalRelation", "pages", "nextCursor", "prevCursor"],
    properties: {
      page: { ...count, description: "From 1; null for a page that was read by a cursor." },
      perPage: { type: "integer", minimum: 1 },
      total: { ...count, description: "Rows that match the filter; null if they were not counted." },
      totalRelation: { enum: ["eq", "gte", null], description: "`gte` means that there are at least `total` rows." },
      pages: { ...count, description: "Null if the total is not exact." },
      nextCursor: { ...nullableText, description: "Cursor to the rows after the last one; null if there are none." },
      prevCursor: nullableText,
    },
  }));
}

/** `links` of a list. A search in a body has none. */
export function listLinks(components: Components): Reference {
  return components.own("ListLinks", () => {
    const link = { type: "string", description: "An address relative to the origin." };
    return { type: "object", properties: { self: link, first: link, prev: link, next: link, last: link } };
  });
}

import type { Components, Reference } from "../components.js";
import { answered, arrayOf, text, whole } from "./object.js";

/** A problem. @see RFC 9457 */
export function problemSchema(components: Components): Reference {
  return components.own("Problem", () =>
    answered(
      {
        type: { type: "string", format: "uri-reference" },
        title: text,
        status: { type: "integer", minimum: 400, maximum: 599 },
        detail: { type: "string", description: "What is wrong, for people." },
        code: { type: "string", description: "What is wrong, for programs." },
      },
      {
        requestId: text,
        instance: { type: "string", format: "uri-reference" },
        errors: arrayOf({ ...problemItemSchema(components) }),
      },
    ),
  );
}

/** One of the faults of a request. */
export function problemItemSchema(components: Components): Reference {
  return components.own("ProblemItem", () =>
    answered(
      { code: text },
      {
        detail: text,
        pointer: { type: "string", format: "json-pointer", description: "Where it is in the body." },
        parameter: { type: "string", description: "The query parameter." },
        header: { type: "string", description: "The request header." },
        allowed: arrayOf(text),
        maximum: { type: "number", description: "The limit that was exceeded." },
        hint: text,
      },
    ),
  );
}

/** A problem of an item or a job, without what belongs to a request. */
export function itemProblemSchema(components: Components): Reference {
  return components.own("ItemProblem", () =>
    answered({ code: text, detail: text }, { type: text, title: text, status: whole, errors: arrayOf({ ...problemItemSchema(components) }) }),
  );
}

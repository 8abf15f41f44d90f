import type { Components, Reference } from "../../../engine/description/components.js";
import { answered, arrayOf, instant, link, nullableInstant, orNull, text, whole } from "../../../engine/description/schemas/object.js";

/** A job: work that continues after the answer. */
export function jobSchema(components: Components): Reference {
  return components.own("Job", () =>
    answered(
      {
        id: text,
        type: text,
        status: { enum: ["queued", "processing", "completed", "failed"] },
        progress: { type: "number", minimum: 0, maximum: 1, description: "1 only when the job is completed." },
        processedRows: whole,
        totalRows: { type: ["integer", "null"], description: "Null while it is unknown." },
        estimatedCompletion: nullableInstant,
        createdAt: instant,
        startedAt: nullableInstant,
        finishedAt: nullableInstant,
        attempts: { ...whole, description: "Attempts since the last progress." },
        result: { description: "What the job has done so far; it depends on the type." },
        error: orNull(answered({ code: text, detail: text }, { row: whole })),
        links: { type: "object", required: ["self"], properties: { self: link }, additionalProperties: link },
      },
      {
        warnings: arrayOf(answered({ code: text })),
        resume: answered({ row: whole, byte: whole }),
        dryRun: { const: true },
      },
    ),
  );
}

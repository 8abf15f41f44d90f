import type { DescribeOperation, Describing } from "../../../engine/description/describing.js";
import { jsonOf } from "../../../engine/description/media.js";
import { whole } from "../../../engine/description/schemas/object.js";
import type { DescribedParameter, OperationDescription } from "../../../engine/operation/description.js";
import { jobSchema } from "./jobSchema.js";

const conditions: readonly DescribedParameter[] = [
  { name: "If-Match", text: "412 unless the job still has this ETag.", schema: { type: "string" } },
  { name: "If-None-Match", text: "304 if the job still has this ETag.", schema: { type: "string" } },
];

const after: DescribedParameter = { name: "after", text: "Position of the entry before the first that is shown.", schema: whole };

/** The operations on the jobs of batches, imports, exports and other work. */
export const describeJobs: DescribeOperation = (describing, { name }, linked) => {
  const [path = "", last = ""] = name.split(".");
  const what = { batches: "batch", imports: "import", exports: "export", jobs: "job" }[path];
  // A collection may be called "jobs".
  return what === undefined || linked !== undefined ? undefined : jobDescribers[last]?.(describing, what);
};

const article = (what: string) => `${/^[aeiou]/.test(what) ? "an" : "a"} ${what}`;

/** By the last part of their names. Each gets the kind of job: `import`. */
const jobDescribers: Readonly<Record<string, (describing: Describing, what: string) => OperationDescription>> = {
  read: ({ components }, what) => ({
    summary: `Read ${article(what)}`,
    text: "With `Accept: text/event-stream` the answer is a stream of events: each is the job as it is then, until it has ended.",
    // The jobs of imports and exports have no pages.
    query: what === "batch" ? [after] : [],
    headers: [...conditions, { name: "Last-Event-ID", text: "Where a stream goes on.", schema: { type: "string" } }],
    answers: [
      {
        status: 200,
        text: "The job.",
        headers: ["ETag", "Retry-After", "X-Accel-Buffering"],
        bodies: [
          jsonOf({ ...jobSchema(components) }),
          { mediaType: "text/event-stream", schema: { type: "string" }, item: { ...jobSchema(components) } },
        ],
      },
      { status: 204, text: "The job has ended, and its last event is the one that `Last-Event-ID` names." },
      { status: 304, text: "The job has not changed.", headers: ["ETag", "Retry-After"] },
    ],
    codes: ["NOT_FOUND", "PRECONDITION_FAILED", "MALFORMED_HEADER", "INVALID_VALUE", "EMPTY_VALUE", "REPEATED_PARAMETER"],
  }),
  events: ({ components }, what) => ({
    summary: `Follow ${article(what)}`,
    text: "A stream of events: each is the job as it is then, until it has ended.",
    headers: [{ name: "Last-Event-ID", text: "Where a stream goes on.", schema: { type: "string" } }],
    answers: [
      {
        status: 200,
        text: "The events of the job.",
        headers: ["X-Accel-Buffering"],
        bodies: [{ mediaType: "text/event-stream", schema: { type: "string" }, item: { ...jobSchema(components) } }],
      },
      { status: 204, text: "The job has ended, and its last event is the one that `Last-Event-ID` names." },
    ],
    codes: ["NOT_FOUND"],
  }),
  remove: ({ components }, what) => ({
    summary: `Cancel or delete ${article(what)}`,
    headers: conditions.slice(0, 1),
    answers: [
      { status: 202, text: "The job is canceled, and can still be read.", headers: ["Retry-After"], bodies: [jsonOf({ ...jobSchema(components) })] },
      { status: 204, text: "The job had ended, and is deleted." },
    ],
    codes: ["NOT_FOUND", "PRECONDITION_FAILED", "MALFORMED_HEADER"],
  }),
  cancel: ({ components }, what) => ({
    summary: `Cancel ${article(what)}`,
    headers: conditions.slice(0, 1),
    answers: [{ status: 202, text: "The job is canceled.", headers: ["Retry-After"], bodies: [jsonOf({ ...jobSchema(components) })] }],
    codes: ["NOT_FOUND", "JOB_FINISHED", "PRECONDITION_FAILED", "MALFORMED_HEADER"],
  }),
  resume: ({ components }, what) => ({
    summary: `Resume ${article(what)}`,
    text: "Goes on where it ended, with the same file.",
    headers: conditions.slice(0, 1),
    answers: [{ status: 202, text: "The job goes on.", headers: ["Retry-After"], bodies: [jsonOf({ ...jobSchema(components) })] }],
    codes: ["NOT_FOUND", "NOT_RESUMABLE", "TOO_MANY_JOBS", "PRECONDITION_FAILED", "MALFORMED_HEADER"],
  }),
};

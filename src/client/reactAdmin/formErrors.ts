import { ApiError } from "../errors.js";

/**
 * Adds what react-admin looks for in an error: `body.errors` has the text of each input by its `source`, and of the whole form as `root.serverError`. Without faults of fields it has no `errors`, and
 * the message is shown as a notification.
 */
export function withFormErrors(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error;
  const fields = Object.entries(error.fields).map(([name, texts]) => [name, texts.join(" ")]);
  const errors = fields.length === 0 ? undefined : { ...Object.fromEntries(fields), root: { serverError: error.message } };
  return Object.assign(error, { body: { ...error.problem, errors } });
}

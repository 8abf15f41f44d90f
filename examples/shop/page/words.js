import { bytesText } from "./amounts.js";
import { ApiError, NetworkError, UnexpectedAnswerError } from "./client.js";

/** What people call types of files. */
const typeNames = { "text/plain": "plain text", "image/webp": "WebP" };
const typeName = (type) => typeNames[type] ?? type.replace(/^[^/]+\/(?:x-|vnd\.)?/, "").toUpperCase();

/** Texts for problems whose detail is written for developers. */
const texts = {
  FILE_TOO_LARGE: ({ limit }) => `The file is too large. At most ${bytesText(limit)} are allowed.`,
  TYPE_NOT_ALLOWED: ({ allowed, detected }) =>
    allowed === undefined
      ? undefined
      : `${detected == null ? "The type of the file is not allowed" : `The file is ${typeName(detected)}`}. Allowed: ${allowed.map(typeName).join(", ")}.`,
  FILE_NOT_AVAILABLE: ({ errors: [fault] = [] }) =>
    fault?.code === "TYPE_NOT_ALLOWED" ? texts.TYPE_NOT_ALLOWED(fault) : "The file is not there any more, or it is used already.",
  QUOTA_EXCEEDED: ({ quota }) => quota && `There is no room for the file: ${bytesText(quota.remaining)} of ${bytesText(quota.limit)} are left.`,
};

/** What is wrong, and what is allowed. */
export function wordsOf(error) {
  if (error instanceof ApiError) return problemText(error.problem);
  if (error instanceof NetworkError) return "The server cannot be reached.";
  if (error instanceof UnexpectedAnswerError) return `The server gave an answer that was not expected, with status ${error.status}.`;
  if (error.name === "NotReadableError" || error.name === "NotFoundError") {
    return "The file cannot be read: it was changed, moved or removed since it was chosen.";
  }
  return error.message;
}

/** The text of a problem (RFC 9457). */
export function problemText(problem) {
  return texts[problem.code]?.(problem) ?? problem.errors?.[0]?.detail ?? problem.detail ?? problem.title;
}

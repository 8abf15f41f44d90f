import { Unavailable } from "../../../src/ground/storage/errors.js";

/** Error codes of a server that cannot answer now, or does not answer this client. */
const unavailable: Readonly<Record<string, string>> = {
  LOADING: "it is still loading its data. Wait until it is ready.",
  BUSY: "it is running a script. Wait for it, or end the script.",
  MASTERDOWN: "its primary is down. Start the primary.",
  CLUSTERDOWN: "the cluster is down. Start its nodes.",
  TRYAGAIN: "the cluster is moving its keys. Try again.",
  READONLY: "it is a replica. Connect to the primary.",
  NOREPLICAS: "it has too few replicas to accept writes. Start its replicas.",
  MISCONF: "it cannot save its data. Check its disk.",
  OOM: "its memory is full. Raise its memory limit.",
  NOAUTH: "it rejected the login. Check the user and the password.",
  WRONGPASS: "it rejected the login. Check the user and the password.",
};

/** Whether the server does not know the script of a hash. */
export function isUnknownScript(error: unknown): boolean {
  return codeOf(error) === "NOSCRIPT";
}

/** Converts an error of the client to `Unavailable` with the error as cause; errors of the server about the command itself stay unchanged. */
export function translateError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof Unavailable || error instanceof TypeError) return error;
  const code = codeOf(error);
  if (code !== undefined && !Object.hasOwn(unavailable, code)) return error;
  const remedy = unavailable[code ?? ""] ?? "it cannot be reached. Check that it runs and that its address is correct.";
  return new Unavailable(`Redis cannot answer: ${remedy}`, { cause: error });
}

/** Error messages of a server begin with a code; error messages of the clients do not. */
function codeOf(error: unknown): string | undefined {
  return error instanceof Error ? /^([A-Z]{2,}) /.exec(error.message)?.[1] : undefined;
}

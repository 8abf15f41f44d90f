/** The member of an error that says its class. */
const brand = Symbol.for("restwright.ClientError");

/** An error of a call. Its class is also a text of the error, so that `instanceof` holds when a page has two copies of this module. */
export abstract class ClientError extends Error {
  static readonly path: string = "";
  declare readonly [brand]: string;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    const { path } = new.target;
    Object.assign(this, { [brand]: path, name: path.replace(/.*\./, "") });
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return isOfClass(value, this.path);
  }
}

/** No answer, or half of one. `cause` is the error of `fetch`. */
export class NetworkError extends ClientError {
  static override readonly path: string = "NetworkError";
  /** The number of tries. */
  declare attempts: number;
}

/** No answer within `timeoutMs`. */
export class TimeoutError extends NetworkError {
  static override readonly path: string = "NetworkError.TimeoutError";
}

/** Whether a value is an error of a class or of one below it. The class need not be loaded. */
export function isOfClass(value: unknown, path: string): boolean {
  return (value as ClientError | undefined)?.[brand]?.startsWith(path) === true;
}

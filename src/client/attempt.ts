/** How a call ended. */
export type Attempt<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: unknown };

/**
 * The form of a call that does not throw.
 *
 * @example
 * const made = await attempt(shop.users.create({ name, email }));
 * if (!made.ok && made.error instanceof ValidationError) show(made.error.fields);
 */
export async function attempt<T>(call: Promise<T>): Promise<Attempt<T>> {
  try {
    return { ok: true, value: await call };
  } catch (error) {
    return { ok: false, error };
  }
}

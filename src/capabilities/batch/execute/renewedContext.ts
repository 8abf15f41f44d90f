import type { Context } from "../../../engine/operation/context.js";
import type { Operation } from "../../../engine/operation/operation.js";
import { permit } from "../../../engine/operation/permit.js";

/**
 * The context of the next slice of a job: with the principal as it is now, what `authorize` allows it, and scopes that have not been asked. The same object if nothing in it can differ.
 *
 * @throws {ProblemError} FORBIDDEN, UNAUTHENTICATED, NOT_FOUND
 */
export async function renewedContext(context: Context, { access, readQuery }: Pick<Operation, "access" | "readQuery">): Promise<Context> {
  const { environment, job, request, authRequest } = context;
  if (job === undefined) return context;
  const principal = await job.principal.current();
  const { action, collection } = access ?? {};
  const { authorize, rules } = environment;
  // Each operation of a mixed batch asks its own rights.
  const asksNothing = collection === undefined || (authorize === undefined && rules === undefined);
  if (principal === context.principal && asksNothing) return context;
  const allowed =
    action === undefined || collection === undefined ? context.permit : await permit(environment, { principal, authRequest, action, collection });
  const query = await readQuery?.({ environment, request, principal, authRequest, permit: allowed });
  return { ...context, principal, permit: allowed, query, scopes: environment.scopesOf(principal) };
}

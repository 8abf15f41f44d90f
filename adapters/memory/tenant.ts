/** The tenant as it is kept with webhooks, events, deliveries and uploads: the empty text is none, as in a database that has no other word for it. */
export function tenantOf(tenant: string | undefined): string | undefined {
  return tenant === "" ? undefined : tenant;
}

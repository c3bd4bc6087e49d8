export async function runMutants(_: string | undefined): Promise<void> {}

import { Field } from '../common/field.tsx';
import { showToast } from '../common/toasts.tsx';
import { useForm } from './form.ts';
import { dayOf, FormEnd } from './parts.tsx';
import { NEW_PASSWORD, PASSWORD, USERNAME } from './profile-fields.ts';
import { call, refreshIdentity } from './session.ts';
import type { Admin } from './types.ts';

interface AdminFormProps {
  admin: Admin;
  onSaved: (admin: Admin) => void;
}

/** Name and password of an admin. */
export function AdminForm({ admin, onSaved }: AdminFormProps) {
  const initial = { username: admin.username, new_password: '', current_password: '' };
  const form = useForm(initial, async ({ username, new_password, current_password }) => {
    const name = username === admin.username ? {} : { username };
    const password = new_password === '' ? {} : { new_password };
    if (Object.keys({ ...name, ...password }).length === 0) {
      showToast('There is nothing new to save.');
      return;
    }
    const body = { current_password, ...name, ...password };
    const saved = await call<Admin>('/api/me/admin', { method: 'PATCH', body });
    await refreshIdentity();
    onSaved(saved);
    form.fill({ ...initial, username: saved.username });
    showToast(new_password === '' ? 'Saved.' : 'Saved. All your other sessions have ended.');
  });
  return (
    <form class="panel form" aria-label="Account" {...form.attributes}>
      <p class="small soft">
        Admin since {dayOf(admin.created_at)}, changed last on {dayOf(admin.updated_at)}.
      </p>
      <Field
        {...USERNAME}
        hint="3 to 32 small letters, digits and underscores"
        required={false}
        {...form.field('username')}
      />
      <Field
        {...NEW_PASSWORD}
        label="New password"
        hint="At least 4 characters; leave it empty to keep the one you have"
        required={false}
        {...form.field('new_password')}
      />
      <Field
        {...PASSWORD}
        label="Current password"
        hint="Needed to confirm the change"
        {...form.field('current_password')}
      />
      <FormEnd form={form} submit="Save" />
    </form>
  );
}

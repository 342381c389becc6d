"""Why a policy cannot be kept and what the nearest ones are; or what each part of a policy costs."""

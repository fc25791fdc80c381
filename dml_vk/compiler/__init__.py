"""Programs: functions of tensors whose launches are recorded once, improved, and then repeated."""
